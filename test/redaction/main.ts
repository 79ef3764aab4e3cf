// biome-ignore-all lint/suspicious/noConsole: a script for people
// Prints how many secrets stay visible, and how many lines of ordinary code change: `npm run redaction`, with `-- --all` for each of them.
import { findHits } from './false-hits.ts'
import { KINDS } from './kinds.ts'
import { findLeaks } from './leaks.ts'
import { PLACES } from './places.ts'

const { tries, leaks } = findLeaks()
console.log(`secrets: ${KINDS.length} kinds in ${PLACES.length} places, ${leaks.length} of ${tries} visible`)
for (const { kind, place, outputs } of leaks) console.log(`  ${kind}: ${place} (${outputs.join(', ')})`)

const { files, characters, hits } = findHits('node_modules')
const people = hits.filter(({ redacted }) => redacted.includes('[email]'))
const paths = hits.filter(
  ({ line, redacted }) => /\/(?:home|Users|root)\b|Users\\/.test(line) && redacted.includes('~'),
)
const others = hits.filter((hit) => !people.includes(hit) && !paths.includes(hit))
console.log(
  `ordinary code: ${files} files, ${(characters / 1e6).toFixed(1)} MB, ${hits.length} lines changed: ${people.length} with e-mail addresses, ${paths.length} with home folders, ${others.length} others`,
)
if (process.argv.includes('--all'))
  for (const { line, redacted } of others)
    console.log(`  ${line.trim().slice(0, 160)}\n  → ${redacted.trim().slice(0, 160)}`)
