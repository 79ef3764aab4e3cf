import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, parse, sep } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { fileReader } from '../../../src/node/files/file-reader.ts'
import { Listing } from '../../../src/node/list/listing.ts'
import { areSame, FileStamps } from '../../../src/node/session-index/file-stamps.ts'
import { readEntry, readingContext } from '../../../src/node/session-index/read-entry.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { modelAnswers, toText, userMessage } from '../../wires/claude/messages.ts'

const { inFolder, file } = temporaryFolder()

/** The paths of a folder that are asked for, with a folder that is not there. */
const names = [
  'a.json',
  'b.json',
  'c.json',
  'd.json',
  'none/agents',
  'none/deep/e.json',
  'ä.json',
  'x y.json',
]

/** Returns the stamps of all paths as one look finds them, each asked for by itself. */
function stampsOf(): readonly string[] {
  return names.flatMap((name) => {
    const path = inFolder('p', name)
    return [path, new FileStamps().of(path)]
  })
}

// One look at a folder answers for all of its files that are not there.
it('sees each file that appears where many are gone', async () => {
  await mkdir(inFolder('p'), { recursive: true })
  const gone = stampsOf()
  const again = new FileStamps()
  for (let round = 0; round < 3; round += 1) expect(areSame(gone, again)).toBe(true)
  for (const name of names) {
    const path = await file(`p/${name}`, '{}')
    // Whichever path is asked for first, the change is seen.
    for (const list of [gone, [...gone, ...gone], gone.slice(-4), [...gone.slice(8), ...gone.slice(0, 8)]])
      expect(areSame(list, new FileStamps())).toBe(list.includes(path) === false)
    await rm(inFolder('p', name.split('/')[0] ?? ''), { recursive: true })
    expect(areSame(gone, new FileStamps())).toBe(true)
  }
})

it('takes a link to nothing for a file that is gone', async () => {
  await mkdir(inFolder('p'), { recursive: true })
  const gone = stampsOf()
  await symlink(inFolder('nowhere'), inFolder('p', 'a.json'))
  expect(areSame(gone, new FileStamps())).toBe(true)
  await rm(inFolder('p', 'a.json'))
})

// The folder of `/x` was an empty name, which nothing is in. So all files below a home folder `/` were gone.
it('sees what is in a root, after many looks at what is gone there', () => {
  const { root } = parse(process.cwd())
  const [top = ''] = process.cwd().slice(root.length).split(sep)
  const stamps = new FileStamps()
  for (let at = 0; at < 9; at += 1) expect(stamps.has(`${root}none-${at}`, 'gone')).toBe(true)
  for (const path of [root, root + top, process.cwd(), dirname(process.cwd())])
    expect(stamps.has(path, 'gone')).toBe(false)
})

// Its sums were those of the new content, beside a state of the old one.
it.each([false, true])(
  'keeps the progress of a file unless it is rewritten meanwhile: %s',
  async (isRewritten) => {
    const lines = [userMessage('Make tea.'), modelAnswers('m1', 'Tea.')]
    const text = toText(
      lines.map((line, at) => ({ uuid: `u${at}`, ...line, sessionId: 's1', cwd: '/srv/tea' })),
    )
    const path = await file('.claude/projects/p/s1.jsonl', text)
    const [candidate] = await new Listing({ home: inFolder() }).candidatesAt([path])
    if (!candidate) throw new Error('no session')
    const context = readingContext({ reader: fileReader, keys: [path], startedAt: 0 })
    const summarize: typeof candidate.summarize = async (onWhole) => {
      const summary = await candidate.summarize(onWhole)
      if (isRewritten) await writeFile(path, text.replace('Tea.', 'Coffee.'))
      return summary
    }
    const { values } = await readEntry({ ...candidate, summarize }, context, { keepsProgress: true })
    expect(JSON.parse(String(values.progress)) === null).toBe(isRewritten)
  },
)
