import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/**
 * Changes the source here and there, and prints the changes that no test notices: `npm run mutate -- claims`, or some of
 * its files behind that. `--repeated` prints the tests without which the others notice as much.
 */
const [name = '', ...others] = process.argv.slice(2)
const isRepeated = others.includes('--repeated')
const files = others.filter((each) => each !== '--repeated')
const parts = JSON.parse(readFileSync(join(import.meta.dirname, 'parts.json'), 'utf8'))
const part = parts[name]
if (!part) throw new Error(`name one of ${Object.keys(parts).join(', ')}`)

const root = join(import.meta.dirname, '../..')
const copy = join(root, 'node_modules/.mutation')
rmSync(copy, { recursive: true, force: true })
mkdirSync(copy)
for (const each of readdirSync(root)) {
  if (/^\.|^dist$|^coverage$/.test(each)) continue
  if (each === 'src' || each === 'test') cpSync(join(root, each), join(copy, each), { recursive: true })
  else symlinkSync(join(root, each), join(copy, each))
}

const sourceFiles = readdirSync(join(root, 'src'), { recursive: true })
  .map((path) => `src/${path}`)
  .filter((path) => path.endsWith('.ts'))
const changed =
  files.length > 0 ? files : sourceFiles.filter((path) => part.mutate.some((place) => path.startsWith(place)))
const silent = new Proxy(
  {},
  { get: (_, level) => () => (String(level).startsWith('is') ? false : undefined) },
)
const { files: sources, mutants } = await new Instrumenter(silent).instrument(
  changed.map((path) => ({ name: path, mutate: true, content: readFileSync(join(root, path), 'utf8') })),
  { plugins: null, excludedMutations: [], ignorers: [] },
)
for (const { name: path, content } of sources) writeFileSync(join(copy, path), content)

const rows = join(copy, 'rows.jsonl')
writeFileSync(rows, '')
const config = join(copy, 'test/mutation/vitest.config.ts')
const env = {
  ...process.env,
  PART: name,
  MUTATION_ROWS: rows,
  ...(isRepeated && { MUTATION_REPEATED: 'true' }),
}
const { status, stdout, stderr } = spawnSync('npx', ['vitest', 'run', '--root', copy, '--config', config], {
  env,
  encoding: 'utf8',
  maxBuffer: Number.POSITIVE_INFINITY,
})
if (status !== 0) {
  print(`${stdout}${stderr}`.trimEnd().split('\n').slice(-40).join('\n'))
  throw new Error('the tests fail without a change')
}

const tests = readFileSync(rows, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
const reached = new Set(tests.flatMap(({ covered }) => covered))
const noticed = new Set(tests.flatMap((test) => test.noticed))
const tried = mutants.filter(({ id }) => reached.has(id))
if (isRepeated) printRepeated()
else
  for (const { id, fileName, location, mutatorName, replacement } of tried)
    if (!noticed.has(id))
      print(`${fileName}:${location.start.line + 1} ${mutatorName}: ${replacement.split('\n')[0]}`)
const skipped = tests.filter((test) => test.skipped !== undefined).length
const share = (100 * noticed.size) / Math.max(tried.length, 1)
print(
  `${name}: ${noticed.size} of ${tried.length} changes noticed (${share.toFixed(1)} %); ${mutants.length - tried.length} run before the tests, or never; ${skipped} of ${tests.length} tests not tried whole`,
)

/** Prints the tests that can go: the others notice all that they notice. A test that was not tried whole stays. */
function printRepeated() {
  const byPlace = new Map()
  for (const test of tests) {
    const place = `${test.file}:${test.line}`
    byPlace.set(place, [...(byPlace.get(place) ?? []), test])
  }
  const places = [...byPlace].map(([place, cases]) => ({
    place,
    stays: cases.some(({ skipped }) => skipped !== undefined),
    noticed: new Set(cases.flatMap((test) => test.noticed)),
  }))
  const left = new Set(noticed)
  const keep = (each) => {
    for (const id of each.noticed) left.delete(id)
    each.stays = true
  }
  for (const each of places) if (each.stays) keep(each)
  const open = ({ noticed: ids }) => [...ids].filter((id) => left.has(id)).length
  while (left.size > 0)
    keep(places.filter(({ stays }) => !stays).reduce((best, each) => (open(each) > open(best) ? each : best)))
  for (const { place, stays } of places) if (!stays) print(`${place}: others notice as much`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
