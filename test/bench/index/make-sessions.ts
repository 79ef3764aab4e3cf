import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The files of a recorded session, by their path below the folder of the project or of the day. */
interface StoredRecording {
  readonly id: string
  readonly files: readonly (readonly [path: string, text: string])[]
}

const FIXTURES = 'fixtures'

/** A recorded session with a long answer, which is as large as twenty others. */
const LARGE = '12-large'

/** Writes that many sessions of Claude Code and Codex, made from the recordings, into a home folder. Returns their size in bytes. */
export function makeSessions(home: string, count: number): number {
  const claude = recordingsIn(join(FIXTURES, 'claude-code'), 'transcript/-srv-demo')
  const large = claude.filter(({ files }) => files.some(([path]) => path.includes(LARGE) || isLarge(files)))
  const small = claude.filter((each) => !large.includes(each))
  const codex = recordingsIn(join(FIXTURES, 'codex'), 'sessions')
  let bytes = 0
  for (let at = 0; at < count; at += 1) {
    const isCodex = at % 4 === 3
    const list = isCodex ? codex : at % 12 === 0 ? large : small
    const recording = list[at % list.length]
    if (recording) bytes += write(home, { recording, at, isCodex, count })
  }
  return bytes
}

function isLarge(files: StoredRecording['files']): boolean {
  return files.reduce((sum, [, text]) => sum + text.length, 0) > 300_000
}

function recordingsIn(folder: string, below: string): readonly StoredRecording[] {
  return readdirSync(folder).flatMap((name) => {
    const root = join(folder, name, below)
    const paths = namesBelow(root)
    const own = paths.filter((path) => path.endsWith('.jsonl') && !path.includes('subagents'))
    const id = /([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(own[0] ?? '')?.[1]
    if (id === undefined || own.length > 1) return []
    return [{ id, files: paths.map((path) => [relative(root, path), readFileSync(path, 'utf8')] as const) }]
  })
}

function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

interface Place {
  readonly recording: StoredRecording
  readonly at: number
  readonly isCodex: boolean
  readonly count: number
}

const DAY_MS = 86_400_000

const LINE_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function write(home: string, { recording: { id, files }, at, isCodex, count }: Place): number {
  const hash = createHash('sha1').update(`${at}`).digest('hex')
  const newId = `${id.slice(0, 9)}${hash.slice(0, 4)}-4${hash.slice(4, 7)}-8${hash.slice(7, 10)}-${hash.slice(10, 22)}`
  const time = new Date(Date.UTC(2026, 10, 28) - Math.floor((90 * (count - at)) / count) * DAY_MS)
  const day = time.toISOString().slice(0, 10)
  const folder = isCodex
    ? join(home, '.codex', 'sessions', ...day.split('-'))
    : join(home, '.claude', 'projects', `-srv-project-${at % 100}`)
  let bytes = 0
  for (const [path, text] of files) {
    const name = (isCodex ? path.split('/').slice(3).join('/') : path).replaceAll(id, newId)
    const content = text
      .replaceAll(id, newId)
      // Lines with equal ids are those of a fork, and each session would be one.
      .replace(LINE_ID, (uuid) => (uuid === newId ? uuid : `${hash.slice(0, 8)}${uuid.slice(8)}`))
      .replace(/2026-\d\d-\d\dT/g, `${day}T`)
      .replaceAll('/srv/demo', `/srv/project-${at % 100}`)
    const target = join(folder, name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
    utimesSync(target, time, time)
    bytes += Buffer.byteLength(content)
  }
  return bytes
}
