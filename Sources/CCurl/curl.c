#include "spyglass_curl.h"
