import process from 'node:process'
import { bothFormsFaults, sessionsWithBothForms } from './both-forms.ts'
import { recordedForms } from './recordings.ts'

// Checks the law of both forms over folders of recordings: `npm run laws:both -- <folder> …`.
const folders = process.argv.slice(2)
if (folders.length === 0) throw new RangeError('usage: npm run laws:both -- <folder> …')

const CUTS = 8
const counts = { right: 0, wrong: 0 }
for (const folder of folders)
  for (const pair of sessionsWithBothForms([...recordedForms(folder)]))
    for (const order of ['the files, then the stream', 'the stream, then the files'] as const) {
      const faults = bothFormsFaults(pair, order, CUTS)
      counts[faults.length === 0 ? 'right' : 'wrong'] += 1
      const shown = faults.slice(0, 4).map((fault) => `  ${fault}\n`)
      if (faults.length > 0)
        process.stdout.write(`${pair.name}, ${order}: ${faults.length}\n${shown.join('')}`)
    }
process.stdout.write(`${counts.right} right, ${counts.wrong} wrong\n`)
process.exitCode = counts.wrong === 0 ? 0 : 1
