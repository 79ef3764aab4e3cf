import type { Scenario } from './script.ts'
import { agent, asked, awaiting, command, main, read, replied, scenario } from './steps.ts'

const KEEPS_ALL = `  const rows = []
  for await (const row of openReport(id)) rows.push(row)
  output.write('id,total\\n')
  for (const row of rows) output.write(\`\${row.id},\${row.total}\\n\`)
  return rows.length
`

const AS_THEY_COME = `  let count = 0
  output.write('id,total\\n')
  for await (const row of openReport(id)) {
    output.write(\`\${row.id},\${row.total}\\n\`)
    count += 1
  }
  return count
`

const EXPORT = `import { openReport } from './store.js'

/** Writes a report as CSV. */
export async function exportReport(id, output) {
${KEEPS_ALL}}
`

const STORE = `/** Reads the rows of a report, a page at a time. */
export async function* openReport(id) {
  const pages = id === 'large' ? 200 : 2
  for (let page = 0; page < pages; page += 1)
    for (let at = 0; at < 1000; at += 1) yield { id: page * 1000 + at, total: at * 3 }
}
`

const TEST = `import assert from 'node:assert/strict'
import test from 'node:test'
import { exportReport } from '../src/export.js'

const collect = () => {
  const lines = []
  return { lines, write: (line) => lines.push(line) }
}

test('writes a line for each row', async () => {
  const output = collect()
  assert.equal(await exportReport('small', output), 2000)
  assert.equal(output.lines.length, 2001)
})

test('begins with the names of the columns', async () => {
  const output = collect()
  await exportReport('small', output)
  assert.equal(output.lines[0], 'id,total\\n')
})
`

const MEASURE = `import { exportReport } from '../src/export.js'

let first
const start = performance.now()
await exportReport('large', { write: () => (first ??= performance.now() - start) })
console.log(\`first line after \${Math.round(first)} ms of \${Math.round(performance.now() - start)} ms\`)
`

const PROMPT =
  'Exports of large reports time out before the first line arrives. Find out why and mend it. Ask one agent to follow the export, and another to read the tests.'
const FOLLOW =
  'Follow a large export from the store to its first line, and say what holds it up. Let an agent of your own measure it. Then mend it.'
const MEASURED = 'Run tools/measure.js and tell me when the first line of a large export arrives.'
const TESTS =
  'Read the tests of the export. Which of them would have seen that the first line comes late? Add one if none would.'

/** Main with two agents at once, of which one has an agent of its own: the session of the README's picture. */
export function workScenario(): Scenario {
  const follow = {
    does: 'agent',
    agent: 'follow',
    prompt: FOLLOW,
    description: 'Follow the export',
  } as const
  const measure = {
    does: 'agent',
    agent: 'measure',
    prompt: MEASURED,
    description: 'Measure the first line',
  } as const
  const tests = {
    does: 'agent',
    agent: 'tests',
    prompt: TESTS,
    description: 'Read the tests',
  } as const
  return {
    ...scenario(
      'work',
      [
        main(
          asked(PROMPT),
          replied({
            waits: 1500,
            think: 'The two questions need nothing from each other, so they can run at once.',
            say: 'Two questions that need nothing from each other, so two agents at once.',
            calls: [follow, tests],
          }),
          awaiting('follow', 'tests'),
          replied({
            waits: 2000,
            say: 'The export collected all rows before it wrote the first one. It writes each row as it comes now, and a test sees a late first line.',
          }),
        ),
        agent(
          'follow',
          'main',
          asked(FOLLOW),
          replied({
            waits: 2500,
            say: 'The export first, and then the store that it reads.',
            calls: [read('src/export.js', 'rows.push(row)'), read('src/store.js', 'a page at a time')],
          }),
          replied({
            waits: 3000,
            say: 'The store gives one page at a time, but `exportReport` keeps every row until the last page is there. I let an agent measure what that costs.',
            calls: [measure],
          }),
          awaiting('measure'),
          replied({
            waits: 3500,
            say: 'The measurement agrees: nothing is written until all 200,000 rows are in memory. I write each row as it comes.',
            calls: [
              {
                does: 'edit',
                path: 'src/export.js',
                from: KEEPS_ALL,
                to: AS_THEY_COME,
              },
            ],
          }),
          replied({
            waits: 3000,
            say: 'Now the tests, and the same measurement again.',
            calls: [command('node --test && node tools/measure.js', 'first line after')],
          }),
          replied({
            waits: 2000,
            say: '`exportReport` kept all rows before the first write. It writes each row as it comes now; both tests pass, and the first line comes at once.',
          }),
        ),
        agent(
          'measure',
          'follow',
          asked(MEASURED),
          replied({
            waits: 2000,
            say: 'I run it three times, because the first run also loads the modules.',
            calls: [command('for i in 1 2 3; do node tools/measure.js; done', 'first line after')],
          }),
          replied({
            waits: 2500,
            say: 'The first line comes only when nearly all of the export is over, in each of three runs.',
          }),
        ),
        agent(
          'tests',
          'main',
          asked(TESTS),
          replied({
            waits: 2000,
            say: 'The tests of the export.',
            calls: [read('test/export.test.js', 'names of the columns')],
          }),
          replied({
            waits: 6000,
            say: 'Both tests look at the lines and not at when they come, so neither would have seen it. I look how the file runs.',
            calls: [command('node --test --test-reporter=dot', '')],
          }),
          replied({
            waits: 14_000,
            say: 'A test that counts the rows read before the first write would have failed. I wait with it until the export is mended.',
          }),
        ),
      ],
      [PROMPT],
    ),
    files: {
      'package.json': '{ "name": "reports", "type": "module", "private": true }\n',
      'src/export.js': EXPORT,
      'src/store.js': STORE,
      'test/export.test.js': TEST,
      'tools/measure.js': MEASURE,
    },
  }
}
