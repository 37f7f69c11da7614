// SPDX-License-Identifier: Apache-2.0
// elaborate.mjs YOSYS OUT MODULE OPTION|FILE...: writes plain Verilog of a module, which Slang elaborates inside the Yosys
// of the npm package in the folder YOSYS. Options are Slang's: -G NAME=VALUE, +incdir+DIR, +define+NAME. What the tools say
// goes to standard output; exit status 1 where they refuse the design.
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [yosys, out, module, ...words] = process.argv.slice(2);
const {runYosys} = await import(pathToFileURL(join(yosys, 'gen/bundle.js')));

const options = [], sources = [], folders = [];
for (let i = 0; i < words.length; ++i) {
  if (words[i] === '-G') options.push('-G', words[++i]);
  else if (words[i].startsWith('+')) options.push(words[i]);
  else sources.push(resolve(words[i]));
  if (words[i].startsWith('+incdir+')) folders.push(words[i].slice('+incdir+'.length));
}

// WebAssembly sees no disk: it gets the sources and all that they include, each at its place in a tree.
const tree = {}, there = new Set();
function bring(path) {
  if (there.has(path)) return;
  there.add(path);
  const text = readFileSync(path);
  const steps = path.split('/').slice(1), name = steps.pop();
  let folder = tree;
  for (const step of steps) folder = folder[step] ??= {};
  folder[name] = text;
  for (const [, included] of text.toString('latin1').matchAll(/^[ \t]*`include[ \t]+"([^"]+)"/gm)) {
    for (const where of [dirname(path), ...folders]) {
      const file = resolve(where, included);
      if (existsSync(file)) bring(file);
    }
  }
}
for (const file of sources) bring(file);

// What Verilator passes over Slang is to pass over, too. A RAM of ours stays one: synthesis leaves those out.
const asked = ['-j 1', '--single-unit', '--diag-abs-paths', '--ignore-timing', '--ignore-assertions', '--allow-use-before-declare', '--relax-enum-conversions',
  '--blackboxed-module ram_1r1w', `--top ${module}`];
tree['design.f'] = [...asked, ...[...options, ...sources].map((word) => (word === '-G' ? word : `"${word}"`))].join('\n');
// Cells that write_verilog has no words for become others.
tree['design.ys'] = 'read_slang -f design.f\nsetparam -unset AddrWidth t:ram_1r1w\nbwmuxmap\nbmuxmap\ndemuxmap\nwrite_verilog -noattr out.v\n';
const decoder = new TextDecoder();
const say = (bytes) => bytes && process.stdout.write(decoder.decode(bytes));
try {
  const made = await runYosys(['-Q', '-T', '-s', 'design.ys'], tree, {stdout: say, stderr: say, fetchProgress() {}});
  writeFileSync(out, made['out.v']);
} catch (failure) {
  if (failure.code === undefined) console.log(`error: ${failure.message}`);
  process.exitCode = 1;
}
