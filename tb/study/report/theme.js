// SPDX-License-Identifier: Apache-2.0
// Colours, patterns and numbers of all charts. For the page and for node: what is shared hangs on globalThis.report.
(() => {
  const report = (globalThis.report = globalThis.report || {});

  const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'; // no quotes: ECharts puts it into SVG attributes as it is

  // Series colours keep 3:1 against the card, and each pair a distance that people with any colour blindness see
  // (tests/study/test_theme.mjs). The first is the baseline's.
  report.themes = {
    light: {
      name: 'light',
      font: FONT,
      card: '#ffffff',
      text: '#1a2233',
      muted: '#566074',
      line: '#d5dae4',
      grid: '#eaedf3',
      palette: ['#475569', '#2f6fed', '#d9770a', '#317857', '#7d6fa6', '#86361a', '#0b3081', '#4d2447', '#8094b9'],
      decal: 'rgba(255,255,255,0.62)',
      heat: ['#eef4ff', '#9cc0fb', '#3f7fee', '#1a47a8', '#0d2560'],
      diverging: ['#b2490f', '#f0b88a', '#f3f4f6', '#9cc0fb', '#1a56c4'],
      issue: ['#1a47a8', '#4a83ee', '#8db4f8', '#c5d9fc'],
      waiting: {stall: '#d9770a', w0_fetch: '#7d6fa6', w0_mem: '#86361a', w0_idle: '#c9cfdb'},
    },
    dark: {
      name: 'dark',
      font: FONT,
      card: '#151b27',
      text: '#e6eaf2',
      muted: '#a3aec1',
      line: '#38435a',
      grid: '#242d3f',
      palette: ['#cbd5e1', '#5b9bff', '#f5a524', '#1d7c53', '#c770c1', '#d03015', '#9d49cb', '#47c4fc', '#97ba93'],
      decal: 'rgba(13,17,26,0.55)',
      heat: ['#1b2538', '#1d4796', '#3b7ff0', '#8fbaff', '#e4efff'],
      diverging: ['#f5a524', '#8a5a1c', '#2b3447', '#2a5ab4', '#7fb1ff'],
      issue: ['#cfe1ff', '#8db8ff', '#4d8af0', '#2a57ab'],
      waiting: {stall: '#f5a524', w0_fetch: '#c770c1', w0_mem: '#d03015', w0_idle: '#4a566d'},
    },
  };

  // Patterns tell apart what has one colour, and everything where patterns are asked for.
  const PATTERNS = [
    null,
    {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [3, 4], rotation: -Math.PI / 4},
    {
      symbol: 'circle',
      symbolSize: 0.75,
      dashArrayX: [
        [6, 6],
        [0, 6, 6, 0],
      ],
      dashArrayY: [6, 0],
    },
    {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: 0},
    {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [3, 4], rotation: Math.PI / 4},
    {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 2},
    {
      symbol: 'triangle',
      symbolSize: 0.9,
      dashArrayX: [
        [8, 8],
        [0, 8, 8, 0],
      ],
      dashArrayY: [8, 0],
    },
  ];
  const DASHES = ['solid', 'dashed', 'dotted', [10, 4, 2, 4]];
  const SYMBOLS = [
    'circle',
    'rect',
    'triangle',
    'diamond',
    'path://M0,0L10,0L5,9Z',
    'path://M3,0L7,0L7,3L10,3L10,7L7,7L7,10L3,10L3,7L0,7L0,3L3,3Z',
    'path://M5,0L9.4,2.5L9.4,7.5L5,10L0.6,7.5L0.6,2.5Z',
  ]; // the last three: triangle on its point, cross, hexagon

  // What a study's charts have in common.
  report.stylesOf = (data) => {
    const rows = report.objects(data.points);
    return report.styles(
      data.variants,
      data.baseline,
      ['machine', 'workload'].map((name) => unique(rows.map((row) => row[name])))
    );
  };

  const packingOf = (variant) => String(variant).split('+')[1] || '';
  const mechanismOf = (variant) => String(variant).split('+')[0];
  const unique = (values) => [...new Set(values)];
  report.unique = unique;
  report.objects = ({columns, rows}) => rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));

  // One colour for a variant in all charts of a study: by mechanism with a pattern for the lane packing where both
  // differ, else by variant. `orders`: other names of the study, in its order.
  report.styles = (variants, baseline, orders = []) => {
    const order = [baseline, ...variants.filter((variant) => variant !== baseline)].filter(Boolean);
    const mechanisms = unique(order.map(mechanismOf));
    const packings = unique(order.map(packingOf));
    const both = mechanisms.length > 1 && packings.length > 1;
    const known = new Map(
      order.map((variant, i) => [
        variant,
        both
          ? {hue: mechanisms.indexOf(mechanismOf(variant)), mark: packings.indexOf(packingOf(variant))}
          : {hue: i, mark: Math.floor(i / 9)},
      ])
    );
    return {
      // Names in the study's order, whatever the order of a view's rows; what it does not name, such as a mean, is last.
      ordered(keys) {
        const list = [order, ...orders].find((names) => keys.some((key) => names.includes(key))) || [];
        return [...list.filter((name) => keys.includes(name)), ...keys.filter((key) => !list.includes(key))];
      },
      // How `key`, one of `keys`, looks in a chart; what is no variant of the study goes by its place.
      of(key, keys, theme, patterns) {
        const place = Math.max(0, keys.indexOf(key));
        const {hue, mark} = known.get(key) || {hue: place + 1, mark: Math.floor((place + 1) / 9)};
        const pattern = PATTERNS[(patterns ? hue + mark * 3 : mark) % PATTERNS.length];
        return {
          colour: theme.palette[hue % theme.palette.length],
          decal: pattern ? {...pattern, color: theme.decal} : undefined,
          dash: DASHES[mark % DASHES.length],
          symbol: SYMBOLS[(known.has(key) && both ? hue + mark * 2 : hue) % SYMBOLS.length],
        };
      },
    };
  };

  // A decal for a part of a stack, when patterns are asked for.
  report.stackDecal = (index, theme, patterns) => {
    const pattern = patterns ? PATTERNS[index % PATTERNS.length] : null;
    return pattern ? {...pattern, color: theme.decal} : undefined;
  };

  // d3-format's notation as far as studies use it: [,][.digits][~](f|%|e|s|d|g).
  report.format = (spec = '') => {
    const [, comma, digits, trim, type] = /^(,)?(?:\.(\d+))?(~)?([f%esdg]?)$/.exec(spec) || [];
    const options = (value) => ({
      useGrouping: Boolean(comma),
      minimumFractionDigits: trim ? 0 : value,
      maximumFractionDigits: value,
    });
    const fixed = (value, places) => value.toLocaleString('en', options(places));
    const general = (value) =>
      value.toLocaleString('en', {
        useGrouping: Math.abs(value) >= 10000,
        maximumSignificantDigits: Math.abs(value) >= 1000 ? 12 : 4,
        maximumFractionDigits: 4,
      });
    const scaled = (value) => {
      const step = value === 0 ? 0 : Math.min(4, Math.max(0, Math.floor(Math.log10(Math.abs(value)) / 3)));
      return (
        fixed(value / 1000 ** step, Math.abs(value / 1000 ** step) >= 100 ? 0 : 1) + ['', 'k', 'M', 'G', 'T'][step]
      );
    };
    return (value) => {
      if (value === null || value === undefined || value === '') return '–';
      if (typeof value !== 'number') return String(value);
      if (type === 'f') return fixed(value, Number(digits ?? 6));
      if (type === '%') return fixed(100 * value, Number(digits ?? 0)) + '%';
      if (type === 'e') return value.toExponential(Number(digits ?? 2));
      if (type === 'd') return fixed(Math.round(value), 0);
      if (type === 's') return scaled(value);
      return general(value);
    };
  };

  // Colours between colours, and the ink that is read best on one.
  const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  report.mix = (colours, share) => {
    const at = Math.min(1, Math.max(0, share || 0)) * (colours.length - 1),
      i = Math.min(colours.length - 2, Math.floor(at));
    const [a, b] = [channels(colours[i]), channels(colours[i + 1])];
    return (
      '#' +
      a
        .map((c, k) =>
          Math.round(c + (b[k] - c) * (at - i))
            .toString(16)
            .padStart(2, '0')
        )
        .join('')
    );
  };
  const luminance = (colour) =>
    channels(colour)
      .map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  report.contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  report.inkOn = (colour) =>
    report.contrast(colour, '#ffffff') > report.contrast(colour, '#000000') ? '#ffffff' : '#000000';

  report.escape = (text) =>
    String(text ?? '').replace(
      /[&<>"']/g,
      (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'})[c]
    );
})();
