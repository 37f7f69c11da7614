// SPDX-License-Identifier: Apache-2.0
// Draws the figures of a report without a browser: node render.js ECHARTS DATA.json FOLDER. Prints the files' names.
const fs = require('fs');
const path = require('path');

const [echartsFile, dataFile, folder] = process.argv.slice(2);
const echarts = require(path.resolve(echartsFile));
for (const part of ['theme', 'charts', 'charts_more', 'means', 'slots', 'area', 'timeline', 'warps']) require(`./${part}.js`);
const {report} = globalThis;

// As wide as letters of wide fonts are: whoever looks at the files has another one than this machine.
echarts.setPlatformAPI({
  measureText: (text, font) => ({width: report.chartParts.textWidth(text, parseFloat(/[\d.]+px/.exec(font)?.[0] ?? 12))}),
});

const data = JSON.parse(fs.readFileSync(dataFile, 'utf8'));
const look = {
  theme: report.themes.light,
  styles: report.stylesOf(data),
  patterns: false,
  width: 920,
  still: true,
};

for (const {name, drawn} of report.drawings(data, look)) {
  const chart = echarts.init(null, null, {renderer: 'svg', ssr: true, width: drawn.width, height: drawn.height});
  chart.setOption({...drawn.option, backgroundColor: look.theme.card});
  const file = path.join(folder, `${name}.svg`);
  fs.writeFileSync(file, chart.renderToSVGString());
  chart.dispose();
  console.log(file);
}
