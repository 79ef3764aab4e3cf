import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

const sources = ['test', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => ({
      path: `${folder}/${name}`,
      text: readFileSync(join(ROOT, folder, name), 'utf8'),
    })),
)

/** The places where time itself must pass, with the reason. */
const TIMED: readonly (readonly [place: RegExp, reason: string])[] = [
  [
    /^test\/server\/(?:log|request-agents)\//,
    'a lease or a lock runs out, and only the clock of Redis or of the files shows it',
  ],
  [/^test\/server\/hub\/memory/, 'the collector of garbage runs between two tasks'],
  [/^test\/node\/node-handler/, 'a reader that does not read must leave the writer still for a while'],
  [
    /^test\/page\/(?:transports|shown|listing)/,
    'a slow connection, a drawn frame, and a stream that fails late',
  ],
  [/^test\/(?:bench|core\/store\/schedule|imports|waits)/, 'they measure or forbid timers'],
  [/^test\/mutation\//, 'a change may make a test endless'],
  [/^test\/(?:cli\/serve\/session-writer|server\/chat\/page)/, 'its clock is a fake one'],
  [/^examples\/(?!.*\.test\.ts)/, 'a model writes slowly'],
]

// Three changes in a row failed on a machine with other work, because a test waited for a time and not for what must happen.
it('no test waits for a time: it polls for what must happen', () => {
  const found = sources
    .filter(({ path }) => !TIMED.some(([place]) => place.test(path)))
    .filter(({ text }) => /setTimeout|waitForTimeout|setInterval/.test(text))
  expect(found.map(({ path }) => path)).toEqual([])
})

const READS = String.raw`await (?:page|\w+\.(?:locator|getBy\w+|first|last|nth)|\w+\([\w, ]*page\)|\w+\.(?:innerText|textContent|count|isVisible|inputValue|getAttribute|allInnerTexts|evaluate)\()`

it('no test reads a page once: `expect.poll` reads it until it shows what it must', () => {
  const found = sources
    .filter(
      ({ path, text }) =>
        path !== 'test/waits.test.ts' && /playwright-core|pages\.ts'|reports\.ts'/.test(text),
    )
    .flatMap(({ path, text }) => onceReadIn(text).map((read) => `${path}: ${read}`))
  expect(found).toEqual([])
})

/** Returns the expectations of a value that comes from the page at that moment. */
function onceReadIn(text: string): readonly string[] {
  return text.match(new RegExp(`expect\\(\\s*${READS}.*`, 'g')) ?? []
}

it.each([['expect(await page.content()).toBe(1)'], ['expect(await row.innerText()).toBe(1)']])(
  'finds a page that is read once: %s',
  (text) => {
    expect(onceReadIn(text)).toHaveLength(1)
  },
)
