#pragma once

// zlib as it is: Swift calls it directly.
#include <zlib.h>
