#include "spyglass_jpeg.h"
