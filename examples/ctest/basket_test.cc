#include <cstring>
#include "basket.h"

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "";
  if (!std::strcmp(name, "total")) return total({100, 250}) == 350 ? 0 : 1;
  if (!std::strcmp(name, "nothing")) return total({}) == 0 ? 0 : 1;
  if (!std::strcmp(name, "reduced")) return reduced(1000, 15) == 850 ? 0 : 1;
  return 2;
}
