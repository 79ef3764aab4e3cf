import process from 'node:process'
import { lawFaults } from './law-faults.ts'
import { recordedForms } from './recordings.ts'

const [folder, words = ''] = process.argv.slice(2)
if (folder === undefined)
  throw new RangeError('usage: npm run laws -- <folder> [<words in the name of a recording>]')

const counts = { right: 0, wrong: 0 }
for (const form of recordedForms(folder)) {
  const name = `${form.recording}, ${form.form}`
  if (!name.includes(words)) continue
  const faults = lawFaults(form)
  counts[faults.length === 0 ? 'right' : 'wrong'] += 1
  if (faults.length > 0) process.stdout.write(`${name}\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
}
process.stdout.write(`${counts.right} forms right, ${counts.wrong} wrong\n`)
process.exitCode = counts.wrong === 0 ? 0 : 1
