// SPDX-License-Identifier: Apache-2.0
// The machines of a study: their boxes, and the values in which they differ.
(() => {
  const {report} = globalThis;
  const parts = report.chartParts;

  // Columns and rows of the boxes that every machine has; any other stands below.
  const PLACES = {
    dispatcher: [0, 1.5],
    warp_scheduler: [1, 0],
    warp_unit: [1, 2],
    thread_compactor: [1, 3],
    spill_unit: [2, 4.1],
    instruction_fetch: [2, 0],
    issue_stage: [2, 1],
    write_back: [2, 2.6],
    register_file: [3, 1.4],
    load_store_unit: [3, 2.8],
    instruction_cache: [4, 0],
    l1d: [4, 1.3],
    texture_cache: [4, 2.4],
    constant_cache: [4, 3.4],
    port: [5, 1.8],
    core: [0.56, 2.6],
    interconnect: [6, 1.8],
    l2: [7, 1.8],
    dram: [8, 1.8],
  };
  const bytes = (value) =>
    value >= 1 << 20 ? `${value / (1 << 20)} MiB` : value >= 1024 ? `${value / 1024} KiB` : `${value} B`;
  // What a box says of its machine; `of` gives a value, all of them where the study varies it.
  const SAYS = {
    dispatcher: (of) => `${of('cores')} cores`,
    warp_scheduler: (of) => `${of('core.schedulers')} × ${of('core.warp_policy')}`,
    warp_unit: (of) => `warps of ${of('core.warp_size')}`,
    issue_stage: (of) => `${of('core.simd_width')} lanes a cycle`,
    register_file: (of) => `${of('core.registers')} regs`,
    load_store_unit: (of) => `${of('core.shared_bytes', bytes)} shared`,
    l1d: (of) => of('l1d.size_bytes', bytes),
    texture_cache: (of) => of('texture_cache.size_bytes', bytes),
    constant_cache: (of) => of('constant_cache.size_bytes', bytes),
    instruction_cache: (of) => of('instruction_cache.size_bytes', bytes),
    interconnect: (of) => `${of('memory.interconnect.clock_mhz')} MHz`,
    l2: (of) => `${of('memory.channels')} × ${of('memory.l2.size_bytes', bytes)}`,
    dram: (of) => `${of('memory.channels')} channels`,
  };
  const NAMES = {l1d: 'L1 data', l2: 'L2 slices', dram: 'DRAM', port: 'core port', warp_scheduler: 'warp scheduler'};

  const kindOf = (module) =>
    module
      .split('.')
      .at(-1)
      .replace(/_?\d+$/, '') || module;
  const boxOf = (module) =>
    module.endsWith('l1d')
      ? 'l1d'
      : module.endsWith('l2_0')
        ? 'l2'
        : module.includes('.interconnect.') // its links
          ? 'interconnect'
          : kindOf(module);

  report.blockDiagram = (data, machine, look) => {
    const boxes = report.unique(data.modules.flat().map(boxOf));
    if (boxes.length === 0) return null;
    const joins = report
      .unique(data.modules.map(([from, to]) => `${boxOf(from)}>${boxOf(to)}`))
      .map((text) => text.split('>'))
      .filter(([a, b]) => a !== b);
    const strangers = boxes.filter((box) => !(box in PLACES));
    const width = Math.max(look.width, 1060),
      height = strangers.length > 0 ? 436 : 372;
    const at = (box) => PLACES[box] || [1 + strangers.indexOf(box), 5];
    const of = (path, show = String) =>
      (machine.parameters[path] || []).map(Number).every(Number.isFinite)
        ? (machine.parameters[path] || [])
            .map(Number)
            .sort((a, b) => a - b)
            .map(show)
            .join(', ')
        : (machine.parameters[path] || []).join(', ');
    const node = {width: width / 9 - 10, height: 46};
    const position = ([column, row]) => [(column + 0.5) * (width / 9), 60 + row * 66];
    const region = (name, from, to, top, bottom) => [
      {name, xAxis: (from * width) / 9 + 3, yAxis: top},
      {xAxis: (to * width) / 9 - 3, yAxis: bottom},
    ];
    const core = boxes.filter((box) =>
      data.modules.flat().some((module) => module.includes('.core') && boxOf(module) === box)
    );
    // From the border of one box to that of the other.
    const size = (box) => (box === 'core' ? [0, 0] : [node.width / 2 + 1, node.height / 2 + 1]);
    const ends = (from, to, aside) => {
      const [a, b] = [position(at(from)), position(at(to))].map(([x, y]) => [x + aside, y + aside]);
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const share = (box) =>
        Math.min(
          ...[0, 1].map((i) => (Math.abs([dx, dy][i]) > 1e-9 ? size(box)[i] / Math.abs([dx, dy][i]) : Infinity))
        );
      const [s, e] = [share(from), 1 - share(to)];
      return [
        [a[0] + dx * s, a[1] + dy * s],
        [a[0] + dx * e, a[1] + dy * e],
      ];
    };
    const plain = {type: 'value', show: false, axisPointer: {show: false}};
    const label = (box) => NAMES[box] || box.replaceAll('_', ' ');
    return {
      width,
      height,
      summary: `Boxes of ${machine.name} and the sockets between them: ${joins.map(([a, b]) => `${label(a)} to ${label(b)}`).join(', ')}.`,
      option: {
        backgroundColor: 'transparent',
        animation: false,
        aria: {enabled: true},
        textStyle: {fontFamily: look.theme.font},
        tooltip: parts.tooltip(look, {
          trigger: 'item',
          formatter: ({data: item}) =>
            report.tip(label(item.name), [
              [null, SAYS[item.name]?.(of) || '', ''],
              ...joins.filter(([from]) => from === item.name).map(([, to]) => [null, `sends to ${label(to)}`, '']),
            ]),
        }),
        grid: {left: 0, right: 0, top: 0, bottom: 0},
        xAxis: {...plain, min: 0, max: width},
        yAxis: {...plain, min: 0, max: height, inverse: true},
        series: [
          {
            type: 'scatter',
            data: [],
            silent: true,
            markArea: {
              silent: true,
              itemStyle: {
                color: look.theme.grid,
                opacity: 0.5,
                borderColor: look.theme.line,
                borderWidth: 1,
                borderRadius: 12,
              },
              label: {
                position: 'insideTopLeft',
                color: look.theme.muted,
                fontSize: 12,
                fontWeight: 600,
                fontFamily: look.theme.font,
                distance: 6,
              },
              data: [
                region(`core  (${of('cores')} of them, ${of('core.clock_mhz')} MHz)`, 1, 6, 6, height - 6),
                region('memory', 6, 9, 6, height - 6),
              ],
            },
          },
          {
            type: 'lines',
            coordinateSystem: 'cartesian2d',
            z: 2,
            silent: true,
            symbol: ['none', 'arrow'],
            symbolSize: 7,
            lineStyle: {color: look.theme.muted, width: 1.3, opacity: 0.9},
            data: joins.map(([from, to]) => ({
              coords: ends(from, to, joins.some(([a, b]) => a === to && b === from) ? (from < to ? 7 : -7) : 0),
            })),
          },
          {
            type: 'scatter',
            z: 3,
            symbol: 'roundRect',
            symbolSize: [node.width, node.height],
            data: boxes
              .filter((box) => box !== 'core')
              .map((box) => ({
                name: box,
                value: position(at(box)),
                itemStyle: {
                  opacity: 1,
                  color: look.theme.card,
                  borderColor: core.includes(box) ? look.theme.palette[1] : look.theme.palette[2],
                  borderWidth: 1.5,
                },
                label: {
                  show: true,
                  color: look.theme.text,
                  fontFamily: look.theme.font,
                  width: node.width - 8,
                  overflow: 'truncate',
                  formatter: `{n|${label(box)}}${SAYS[box] ? `\n{s|${SAYS[box](of)}}` : ''}`,
                  rich: {
                    n: {fontSize: 10.5, fontWeight: 600, color: look.theme.text, lineHeight: 14},
                    s: {fontSize: 10.5, color: look.theme.muted, lineHeight: 13},
                  },
                },
              })),
          },
        ],
      },
    };
  };

  // The values that are not the same in all machines, or not in all points of one.
  report.machineDifferences = (data) => {
    const paths = report.unique(data.machines.flatMap((machine) => Object.keys(machine.parameters)));
    const shown = (machine, path) =>
      [...(machine.parameters[path] || [])]
        .map(String)
        .sort((a, b) => a.localeCompare(b, 'en', {numeric: true}))
        .join(', ') || '–';
    return paths
      .map((path) => ({
        path,
        unit: data.parameters[path]?.unit || '',
        help: data.parameters[path]?.help || '',
        values: data.machines.map((machine) => shown(machine, path)),
        varied: data.machines.some((machine) => (machine.parameters[path] || []).length > 1),
      }))
      .filter(({values, varied}) => varied || new Set(values).size > 1);
  };
})();
