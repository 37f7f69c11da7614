#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package on a system that has nothing else: debian_package.sh BUILD. It packs the build, installs the package
# with what it depends on into a bare Debian 12, and runs a bundled program and the pages' commands there.
set -euo pipefail
build=$1 scratch=$1/debian_package
rm -rf "$scratch"
mkdir -p "$scratch"
(cd "$build" && cpack -G DEB -B "$scratch" > "$scratch/cpack.log")
package=$(ls "$scratch"/warpfold_*.deb)

cat > "$scratch/used" <<'INSIDE'
set -eux
cd /root
apt-get install -y --no-install-recommends /tmp/warpfold.deb
warpfold --version
warpfold compare --size small --mechanisms pdom,tbc bfs | tee table
grep -q '^tbc' table
warpfold schema launch | grep -q '"grid"'
printf '__global__ void k(int *p) { p[threadIdx.x] += threadIdx.x; }\n%s\n' \
  'int main() { int *p, h[32]; cudaMalloc(&p, 128); cudaMemset(p, 0, 128); k<<<1, 32>>>(p);
   return cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost) != cudaSuccess || h[31] != 31; }' > own.cu
warpfold-cc own.cu -o own
warpfold run -q ./own
apt-get remove -y warpfold
test ! -e /usr/bin/warpfold
test ! -e /usr/lib/warpfold
INSIDE
mmdebstrap --variant=apt --quiet --customize-hook="copy-in $scratch/used /tmp" \
  --customize-hook="upload $package /tmp/warpfold.deb" --customize-hook='chroot "$1" bash /tmp/used' \
  bookworm /dev/null
rm -rf "$scratch"
