// SPDX-License-Identifier: Apache-2.0
// The charts of reports without a page: colours, numbers, and what is drawn of a figure.
// node test_report_parts.mjs REPORT_FOLDER LIBRARIES (what `warpfold prepare report` prints)
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import path from 'node:path';
import test from 'node:test';

const [folder, libraries] = process.argv.slice(2).map((name) => path.resolve(name));
const require = createRequire(import.meta.url);
const echarts = require(path.join(libraries, 'echarts.min.js'));
for (const part of ['theme', 'charts', 'charts_more', 'means', 'slots', 'area', 'machines', 'timeline', 'warps'])
  require(path.join(folder, `${part}.js`));
const {report} = globalThis;

const look = (more = {}) => ({
  theme: report.themes.light,
  styles: report.styles(['pdom', 'tbc'], 'pdom'),
  patterns: false,
  width: 900,
  still: true,
  ...more,
});

function svg(drawn) {
  const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width: drawn.width, height: drawn.height});
  chart.setOption(drawn.option);
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
}
const count = (text, what) => text.split(what).length - 1;
const filled = (text, colour) => count(text, `fill="${colour}"`);

// What people with one kind of cones missing see (Machado, Oliveira and Fernandes 2009), as distances in OKLab.
const SIGHT = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
const times = (m, v) => [0, 3, 6].map((i) => m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2]);
function oklab(colour, sight) {
  const linear = [1, 3, 5]
    .map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const seen = times(sight, linear).map((c) => Math.min(1, Math.max(0, c)));
  const cones = [
    0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376,
    0.6299787005,
  ];
  const lab = [
    0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662,
    -0.808675766,
  ];
  return times(lab, times(cones, seen).map(Math.cbrt));
}
const distance = (a, b) =>
  Math.min(
    ...Object.values(SIGHT).map((sight) => Math.hypot(...oklab(a, sight).map((v, i) => v - oklab(b, sight)[i])))
  );

for (const theme of Object.values(report.themes)) {
  test(`colours of ${theme.name} series stand out from the card and from each other, for all eyes`, () => {
    for (const colour of theme.palette) assert.ok(report.contrast(colour, theme.card) >= 3, colour);
    for (const text of [theme.text, theme.muted]) assert.ok(report.contrast(text, theme.card) >= 4.5, text);
    theme.palette.forEach((a, i) =>
      theme.palette.slice(0, i).forEach((b) => assert.ok(distance(a, b) >= 0.08, `${a} and ${b}: ${distance(a, b)}`))
    );
  });
  test(`numbers on cells of a ${theme.name} heatmap can be read`, () => {
    for (const scale of [theme.heat, theme.diverging])
      for (let share = 0; share <= 1; share += 0.02) {
        const cell = report.mix(scale, share);
        assert.ok(report.contrast(cell, report.inkOn(cell)) >= 4.5, cell);
      }
  });
}

test('numbers are written as d3-format would', () => {
  for (const [spec, value, text] of [
    ['.2f', 1.005, '1.01'],
    [',.0f', 1234567.4, '1,234,567'],
    ['.1%', 0.1234, '12.3%'],
    ['.2~f', 1.5, '1.5'],
    [',d', 1234.6, '1,235'],
    ['s', 48200, '48.2k'],
    ['s', 0, '0.0'],
    ['.2e', 12345, '1.23e+4'],
    ['', 0.123456, '0.1235'],
    ['.2f', null, '–'],
    ['.2f', 'text', 'text'],
  ])
    assert.equal(report.format(spec)(value), text, spec);
});

test('axes begin and end at round numbers', () => {
  assert.deepEqual(report.extent([0.2, 1.31], {zero: true}), [0, 1.5, 0.25]);
  assert.deepEqual(report.extent([-0.4, 1], {zero: true}), [-0.5, 1, 0.5]);
  assert.deepEqual(report.extent([96, 104]), [96, 104, 2]);
  assert.deepEqual(report.extent([null, undefined, NaN]), []);
});

const figure = (chart, more = {}) => ({
  title: 'T',
  columns: ['w', 'v', 'y', 'low', 'high'],
  rows: [
    ['bfs', 'tbc', 1.2, 1.1, 1.3],
    ['bfs', 'pdom', 1, 1, 1],
    ['lps', 'tbc', 0.9, null, null],
    ['lps', 'pdom', 1, 1, 1],
  ],
  printed: [{w: 'bfs', v: 'tbc', value: 1.4}],
  chart: {x: 'w', y: 'y', colour: 'v', low: 'low', high: 'high', ...chart},
  ...more,
});
const {palette} = report.themes.light;

test('bars: one each, the baseline first, whiskers and the mark of the paper', () => {
  const drawn = report.chart(figure({kind: 'bars', reference: 1}), look());
  const text = svg(drawn);
  assert.deepEqual(
    drawn.option.legend.data.map(({name}) => name),
    ['pdom', 'tbc', 'printed in the paper']
  );
  assert.equal(filled(text, palette[0]), 3, 'two bars of the baseline, and the legend');
  assert.equal(filled(text, palette[1]), 3);
  const whiskers = drawn.option.series.filter((one) => one.type === 'custom' && one.name === 'tbc');
  assert.deepEqual(whiskers[0].data, [[0, 1.1, 1.3]]);
  const marks = drawn.option.series.find((one) => one.name === 'printed in the paper');
  assert.deepEqual(marks.data, [[0, 1.4, 1]]);
  assert.ok(drawn.option.yAxis[0].max >= 1.4, 'the mark is in the plot');
  assert.match(drawn.summary, /4 values, from 0\.9 \(lps, tbc\) to 1\.2 \(bfs, tbc\), 1 printed/);
});

test('marks stand on their bars, also when a series is hidden', () => {
  const place = (selected) => {
    const drawn = report.chart(figure({kind: 'bars'}), look());
    const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width: 900, height: drawn.height});
    drawn.option.legend.selected = selected;
    chart.setOption(drawn.option);
    const bar = chart.getModel().getSeriesByIndex(1).getData().getItemLayout(0);
    const [, x] = /<polygon points="([\d.]+) /.exec(chart.renderToSVGString());
    chart.dispose();
    return [bar.x + bar.width / 2, Number(x)];
  };
  for (const selected of [{}, {pdom: false}]) {
    const [bar, mark] = place(selected);
    assert.ok(Math.abs(bar - mark) < 0.51, `${bar} and ${mark}`);
  }
});

test('values that only the paper has are marked, too', () => {
  const drawn = report.chart(figure({kind: 'bars'}, {printed: [{w: 'mum', v: 'tbc', value: 2}]}), look());
  assert.deepEqual(drawn.option.xAxis[0].data, ['bfs', 'lps', 'mum']);
});

test('lines: numbers in order, also those that SQLite gives as text', () => {
  const rows = [
    ['32', 'tbc', 3, null, null],
    ['8', 'tbc', 1, null, null],
    ['16', 'tbc', 2, null, null],
  ];
  const drawn = report.chart(figure({kind: 'lines'}, {rows, printed: [{w: 16, v: 'tbc', value: 2.5}]}), look());
  assert.deepEqual(drawn.option.xAxis[0].data, ['8', '16', '32']);
  assert.deepEqual(drawn.option.series[0].data, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  assert.deepEqual(drawn.option.series.at(-1).data, [[1, 2.5]]);
});

test('stacked: the paper’s value of a part lies on what is below it', () => {
  const drawn = report.chart(
    figure(
      {kind: 'stacked'},
      {
        printed: [
          {w: 'lps', v: 'tbc', value: 0.5},
          {w: 'bfs', value: 2},
        ],
      }
    ),
    look()
  );
  assert.deepEqual(drawn.option.series.at(-1).data, [
    [0, 2],
    [1, 1.5],
  ]);
  assert.equal(new Set(drawn.option.series.slice(0, 2).map((one) => one.stack)).size, 1);
});

test('points on logarithmic axes beside the diagonal', () => {
  const rows = [['a', 100, 10], ['b', 1000, 2000]];
  const chart = {kind: 'points', x: 'x', y: 'y', label: 'w', log: true, diagonal: true};
  const drawn = report.chart({title: 'T', columns: ['w', 'x', 'y'], rows, chart}, look());
  assert.equal(drawn.option.xAxis[0].type, 'log');
  assert.equal(drawn.option.yAxis[0].type, 'log');
  assert.deepEqual([drawn.option.xAxis[0].min, drawn.option.xAxis[0].max], [10, 10000], 'both axes go as far');
  assert.deepEqual(drawn.option.series[0].markLine.data, [[{coord: [10, 10]}, {coord: [10000, 10000]}]]);
  assert.match(svg(drawn), /stroke-dasharray/);
});

test('points and heatmap', () => {
  const scatter = report.chart(figure({kind: 'points', x: 'low', y: 'y', label: 'w'}, {printed: []}), look());
  assert.ok(scatter.option.series.flatMap((one) => one.data).length >= 3);
  const heat = report.chart(figure({kind: 'heatmap', y: 'v', value: 'y', colour: undefined}), look());
  assert.match(svg(heat), /◇ 1\.4/);
  assert.deepEqual(heat.option.yAxis[0].data, ['pdom', 'tbc']);
});

test('facets have axes of one length', () => {
  const drawn = report.chart(figure({kind: 'bars', x: 'v', colour: undefined, facet: 'w'}), look());
  assert.equal(drawn.option.grid.length, 2);
  assert.deepEqual(drawn.option.yAxis[0].max, drawn.option.yAxis[1].max);
  const narrow = report.chart(figure({kind: 'bars', x: 'v', colour: undefined, facet: 'w'}), look({width: 330}));
  assert.equal(narrow.option.grid[0].left, narrow.option.grid[1].left, 'below one another');
});

test('a table, or a view without rows, is no chart', () => {
  assert.equal(report.chart(figure({kind: 'table'}), look()), null);
  assert.equal(report.chart(figure({kind: 'bars'}, {rows: []}), look()), null);
});

test('patterns tell packings apart, and everything where they are asked for', () => {
  const styles = report.styles(['pdom', 'tbc', 'pdom+scc', 'tbc+scc'], 'pdom');
  const of = (name, patterns) => styles.of(name, [], report.themes.light, patterns);
  assert.equal(of('tbc').colour, of('tbc+scc').colour);
  assert.equal(of('tbc').decal, undefined);
  assert.notEqual(of('tbc+scc').decal, undefined);
  assert.notEqual(of('tbc', true).decal, undefined);
  assert.notEqual(of('tbc').symbol, of('tbc+scc').symbol);
});

const slot = (workload, variant, cycles, base, more) => ({
  workload,
  variant,
  cycles,
  base_cycles: base,
  schedulers: 2,
  settings: '{}',
  machine_settings: '{}',
  stall: 0,
  w0_fetch: 0,
  w0_mem: 0,
  w0_idle: 0,
  ...more,
});

test('issue slots are as high as a run is long beside the baseline', () => {
  const rows = [
    slot('bfs', 'pdom', 100, 100, {issue_w29_32: 150, w0_mem: 50}),
    slot('bfs', 'tbc', 80, 100, {issue_w29_32: 100, issue_w1_4: 20, stall: 40}),
    slot('bfs', 'tbc', 120, 100, {issue_w29_32: 140, issue_w1_4: 60, stall: 40}),
  ];
  const data = {baseline: 'pdom', variants: ['pdom', 'tbc']};
  const drawn = report.issueSlots(data, {rows}, look());
  assert.deepEqual(
    drawn.slots.map(({bar, total}) => [bar, Number(total.toFixed(6))]),
    [
      ['pdom', 1],
      ['tbc', 1],
    ]
  );
  const share = (bar, name) => drawn.slots[bar].parts[drawn.pieces.findIndex((piece) => piece.name === name)];
  assert.equal(share(0, 'waits for memory'), 0.25);
  assert.equal(share(1, 'W4/4'), 0.6);
  assert.equal(share(1, 'W1/4'), 0.2);
});

test('a Pareto front has what no other beats in both', () => {
  const point = (area, speedup) => ({area, speedup});
  const all = [point(2, 1.3), point(0, 1), point(1, 1.2), point(1, 1.1), point(3, 1.25), point(0, 0.9)];
  assert.deepEqual(report.paretoFront(all), [all[1], all[2], all[0]]);
});

test('a part that has its baseline alone is not the first to be shown', () => {
  const means = {
    columns: ['part', 'size', 'timing', 'settings', 'machine', 'variant', 'verdict'],
    rows: [
      ['cache', 'small', 'cycle', '{}', 'a', 'pdom', 'baseline'],
      ['other', 'small', 'cycle', '{}', 'a', 'pdom', 'baseline'],
      ['ranking', 'small', 'cycle', '{}', 'a', 'pdom', 'baseline'],
      ['ranking', 'small', 'cycle', '{}', 'a', 'tbc', 'faster'],
    ],
  };
  for (const choices of [report.meanChoices({means}), report.areaChoices({means})])
    assert.deepEqual(
      choices.map(({label}) => label),
      ['ranking', 'cache', 'other']
    );
});

test('tails are where some but fewer than half of the cores have a block', () => {
  const timeline = {
    from: 0,
    cycles: 1,
    blocks: [
      [1, 1, 1, 0, 1],
      [1, 1, 0, 0, 1],
      [1, 0, 0, 0, 1],
    ],
    slots: [{}, {}, {}],
  };
  assert.deepEqual(report.tails(timeline), [[2, 2]]);
});

// Two warps of core 0 in 100 cycles: one issues with 32 and 8 lanes and waits; the other is there late, for its turn.
const traced = {
  from: 0,
  cycles: 50,
  blocks: [[1, 1]],
  slots: [{}],
  lanes: 32,
  whats: [['issue', 'add, pc 0'], ['memory', 'pc 1'], ['turn', 'pc 0'], ['launch', 'k()'], ['requests', 'load']],
  rows: [
    {core: null, name: 'launches', slices: [0, 100, 3, 0]},
    {core: 0, name: 'warp slot 00', slices: [0, 4, 0, 32, 0, 4, 0, 8, 2, 70, 1, 0]},
    {core: 0, name: 'warp slot 01', slices: [60, 40, 2, 0]},
    {core: 0, name: 'load', slices: [10, 2, 4, 1, 0, 2, 4, 4]},
    {core: 3, name: 'warp slot 00', slices: [0, 1, 0, 1]},
  ],
};
const pieces = (row, window, cells) =>
  report.piecesOf(traced, traced.rows[row], window, cells).map(({from, until, state}) => [from, until, state]);

test('warps over time: each slice where there is room, else what most cycles are', () => {
  assert.deepEqual(report.coresWithWarps(traced), [0, 3]);
  assert.deepEqual(report.wholeTime(traced), [0, 100]);
  assert.deepEqual(report.wholeTime({...traced, slices_until: 80}), [0, 80]);
  assert.deepEqual(pieces(1, [0, 100], 100), [[0, 4, 0], [4, 8, 1], [10, 80, 2]]);
  assert.deepEqual(pieces(1, [6, 20], 14), [[6, 8, 1], [10, 20, 2]]);
  assert.deepEqual(pieces(1, [0, 100], 10), [[0, 10, 0], [10, 80, 2]]);
  assert.deepEqual(pieces(1, [0, 100], 3).slice(0, 1), [[0, 200 / 3, 2]]);
  assert.deepEqual(pieces(2, [0, 100], 1), [], 'most of the time nothing is there');
  assert.deepEqual(pieces(1, [0, 100], 20), [[0, 5, 0], [5, 10, 1], [10, 80, 2]]);
  assert.deepEqual(pieces(3, [0, 100], 100), [[10, 12, 11], [12, 14, 17]], 'levels of the most under way');
  assert.deepEqual(pieces(3, [0, 100], 5), [[0, 20, 11]], 'requests stand wherever there are any');
});

test('warps over time: shares of a window sum, and are told', () => {
  const [, first, second] = report.warpShares(traced, 0, [0, 10]);
  assert.deepEqual(first.shares, [40, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(second.shares, Array(11).fill(0));
  const drawn = report.warpsOverTime(traced, 0, [0, 100], look());
  assert.match(drawn.summary, /2 warp slots of core 0 do in cycles 0 to 100; .* over half its lanes 3 %, .* up to half 3 %, waits for memory 59 %, waits for its turn 34 %/);
  assert.deepEqual(drawn.option.yAxis.data, ['launches', 'warp 00', 'warp 01', 'load']);
  assert.deepEqual([drawn.option.xAxis.min, drawn.option.xAxis.max, drawn.option.xAxis.name], [0, 100, 'cycles']);
  const told = drawn.option.series.flatMap(({data}) => data.map((one) => drawn.option.tooltip.formatter({data: one})));
  assert.match(told.join(), /warp slot 00.*cycles 4 to 8.*add, pc 0<.span><b>8 lanes<.*load<.span><b>4</);
  const text = svg(drawn);
  assert.equal(filled(text, palette[5]), 2, 'a wait, and the legend');
  assert.equal(filled(text, palette[6]), 2);
  assert.match(svg(report.warpsOverTime(traced, 0, [0, 100], look({patterns: true}))), /<pattern/);
});

test('a waterfall goes from the first row to the last', () => {
  const rows = [['pdom', 100], ['memory', 20], ['left', -50], ['tbc', 70]];
  const chart = {kind: 'waterfall', x: 'step', y: 'cycles', format: ',d'};
  const drawn = report.chart({title: 'T', columns: ['step', 'cycles'], rows, chart}, look());
  assert.deepEqual(
    drawn.option.series.map(({data}) => data.map(([, from, to]) => [from, to])),
    [[[0, 100], [0, 70]], [[100, 120]], [[120, 70]]]
  );
  const text = svg(drawn);
  for (const label of ['>100<', '>+20<', '>-50<', '>70<']) assert.ok(text.includes(label), label);
  assert.equal(filled(text, palette[2]), 2, 'a step up, and the legend');
});

test('differences between machines are those of values, and of what a study varies', () => {
  const data = {
    parameters: {'core.warp_size': {unit: 'lanes', help: 'W'}},
    machines: [
      {name: 'a', parameters: {'core.warp_size': [32, 8], cores: [30], 'l2.ways': [8]}},
      {name: 'b', parameters: {'core.warp_size': [32], cores: [16], 'l2.ways': [8]}},
    ],
  };
  assert.deepEqual(
    report.machineDifferences(data).map(({path: key, values}) => [key, ...values]),
    [
      ['core.warp_size', '8, 32', '32'],
      ['cores', '30', '16'],
    ]
  );
});

test('labels leave out the settings that all points have', () => {
  const points = (...settings) => ({points: {columns: ['settings'], rows: settings.map((one) => [JSON.stringify(one)])}});
  assert.equal(report.settingsInCommon(points({cores: 4, width: 16}, {cores: 4, width: 32})), 'cores=4');
  assert.equal(report.settingsText('{"cores":4,"width":16}'), 'width=16');
  assert.equal(report.settingsInCommon(points({cores: 4}, {})), '');
  assert.equal(report.settingsText('{"cores":4}'), 'cores=4');
});
