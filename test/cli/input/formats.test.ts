import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Architecture, parseTranscript } from '../../../src/entries/index.ts'
import type { CombinedTranscript } from '../../../src/entries/source-kit.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { exportsOf, opencodeFolder } from '../../checks/parity/sessions.ts'
import { PROGRAMS } from '../../hostile/programs.ts'
import { KNOWN_FORMATS } from '../../known-programs.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { recording, folder as recordingsFolder } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const claude = recording('06-nested-forward')
const opencode = join(opencodeFolder, '04-subagent')
const exports = exportsOf('04-subagent')
const [child = '', main = ''] = Object.values(exports).sort((left, right) => left.length - right.length)
const bundled = opencodeTranscript(exports)
const events = await readFile(join(opencode, 'events.ndjson'), 'utf8')

const { inFolder, file } = temporaryFolder()

/** A file that the system lists, and refuses to read. */
const UNREADABLE = '/proc/self/mem'

/** An input. The command must give the same state as the library. */
interface Example {
  readonly content: string
  readonly architecture: Architecture
  /** The same input in a shape that the library's own tests cover. */
  readonly as?: string | CombinedTranscript
}

const pretty = (json: string) => JSON.stringify(JSON.parse(json), null, 2)
const compact = (json: string) => JSON.stringify(JSON.parse(json))

const examples: readonly (readonly [string, Example])[] = [
  ['a stream of Claude Code', { content: claude.stream, architecture: 'claude-sdk' }],
  [
    'a session’s file of Claude Code',
    { content: recording('03-tools').disk.main, architecture: 'claude-sdk' },
  ],
  [
    'a subagent’s file of Claude Code',
    { content: claude.disk.subagents[0]?.transcript ?? '', architecture: 'claude-sdk' },
  ],
  [
    'the files of Claude Code, combined',
    { content: JSON.stringify(claude.disk), as: claude.disk, architecture: 'claude-sdk' },
  ],
  [
    'the same on many lines',
    { content: JSON.stringify(claude.disk, null, 2), as: claude.disk, architecture: 'claude-sdk' },
  ],
  ['the bus of OpenCode', { content: events, architecture: 'opencode' }],
  [
    'the lines of its run',
    { content: await readFile(join(opencode, 'standalone.ndjson'), 'utf8'), architecture: 'opencode' },
  ],
  ['an export on one line', { content: compact(main), as: main, architecture: 'opencode' }],
  ['an export on many lines', { content: pretty(main), as: main, architecture: 'opencode' }],
  ['a subagent’s export', { content: child, architecture: 'opencode' }],
  [
    'a list of exports',
    { content: `[${compact(main)},${compact(child)}]`, as: bundled, architecture: 'opencode' },
  ],
  [
    'a list on many lines, the subagent first',
    { content: pretty(`[${child},${main}]`), as: bundled, architecture: 'opencode' },
  ],
  ['the exports combined', { content: JSON.stringify(bundled), as: bundled, architecture: 'opencode' }],
  [
    'the same exports on many lines',
    { content: JSON.stringify(bundled, null, 1), as: bundled, architecture: 'opencode' },
  ],
  ...PROGRAMS.map((program): readonly [string, Example] => [
    `lines of ${program.name}`,
    {
      content: [...program.beginning, program.line('m1', '"Hi."'), ''].join('\n'),
      architecture: program.architecture,
    },
  ]),
]

const json = async (args: readonly string[], stdin: readonly (string | Uint8Array)[] = []) => {
  const { err, ...result } = await jsonWithErrors(args, stdin)
  expect(err).toBe('')
  return result.json
}

async function jsonWithErrors(
  args: readonly string[],
  stdin: readonly (string | Uint8Array)[] = [],
): Promise<{ readonly json: ReturnType<typeof JSON.parse>; readonly err: string }> {
  const { code, out, err } = await agentfold(['replay', '--json', ...args], { stdin })
  expect(code).toBe(0)
  return { json: JSON.parse(out), err }
}

describe.each(examples)('%s', (name, { content, architecture, as = content }) => {
  const state = parseTranscript(architecture, as)

  it('is detected by its content, in a file with any name', async () => {
    expect(state.blocks.length + state.subagents.length).toBeGreaterThan(0)
    for (const extension of ['', '.txt', '.json', '.jsonl', '.ndjson'])
      expect((await json([await file(`${name}/one${extension}`, content)])).state).toEqual(state)
  })

  it('is detected in a pipe with chunks of any size', async () => {
    expect((await json(['-'], [content])).state).toEqual(state)
    const bytes = new TextEncoder().encode(content)
    for (const size of [1009, 65_536]) {
      const count = Math.ceil(bytes.length / size)
      const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
      expect((await json(['-'], chunks)).state).toEqual(state)
    }
  })

  it.each<[string, (text: string) => string]>([
    ['a byte order mark', (text) => `\ufeff${text}`],
    ['Windows line ends', (text) => text.replaceAll(/\r?\n/g, '\r\n')],
    ['blank lines before it', (text) => `\n \n\r\n${text}`],
    ['blank lines after it', (text) => `${text.trimEnd()}\n\n  \n`],
    ['no line end after the last line', (text) => text.trimEnd()],
    [
      'a byte order mark, Windows line ends and blank lines',
      (text) => `\ufeff\r\n\r\n${text.replaceAll(/\r?\n/g, '\r\n')}\r\n`,
    ],
  ])('is detected with %s', async (_, change) => {
    const changed = change(content)
    expect((await json(['-'], [changed])).state).toEqual(state)
    expect((await json(['-'], [new TextEncoder().encode(changed)])).state).toEqual(state)
    expect((await json([await file('changed', changed)])).state).toEqual(state)
  })

  it('gives the same state with --format', async () => {
    expect((await json(['-', '--format', architecture], [content])).state).toEqual(state)
    expect((await json([await file('named', content), `--format=${architecture}`])).state).toEqual(state)
  })
})

describe('a first line that is broken', () => {
  it.each<[string, string, Architecture]>([
    ['Claude Code', claude.stream, 'claude-sdk'],
    ['OpenCode', events, 'opencode'],
  ])('is an issue, and the next lines show the format: %s', async (_, content, architecture) => {
    for (const broken of ['{"cut', '}', 'warning: tea is late', '[1,2', '"text"', '42', 'null', '{}']) {
      const read = await json(['-'], [`${broken}\n${content}`])
      expect(read.state).toEqual(parseTranscript(architecture, content))
      expect(read.issues).toMatchObject([{ line: 1, count: 1 }])
    }
  })

  it('is an issue if a pipe starts in the middle of a line', async () => {
    const { state, issues } = await json(['-'], [claude.stream.slice(10)])
    const rest = claude.stream.slice(claude.stream.indexOf('\n') + 1)
    expect(state.blocks).toEqual(parseTranscript('claude-sdk', rest).blocks)
    expect(issues).toMatchObject([{ code: 'malformed-line', line: 1 }])
  })
})

describe('a folder', () => {
  it('of Claude Code contains a session and its subagents', async () => {
    const { state } = await json([join(recordingsFolder, claude.name, 'transcript')])
    expect(state).toEqual(parseTranscript('claude-sdk', claude.disk))
  })

  it('of OpenCode contains exports', async () => {
    const { state } = await json([join(opencode, 'export')])
    expect(state).toEqual(parseTranscript('opencode', bundled))
    expect(state.subagents).toHaveLength(1)
  })

  it('of exports may contain other files and folders', async () => {
    for (const [name, content] of Object.entries(exports)) await file(`exports/deep/${name}`, content)
    await file('exports/notes.json', '{"tea":true}')
    await file('exports/README.md', '# Tea')
    const { state } = await json([inFolder('exports')])
    expect(state).toEqual(parseTranscript('opencode', bundled))
  })

  // Each of them made the other files unreadable.
  it.each<[string, (path: string) => Promise<unknown>, number]>([
    ['a folder', (path) => mkdir(path), 0],
    ['a broken link', (path) => symlink('nowhere', path), 3],
    ['a link to itself', (path) => symlink(basename(path), path), 3],
  ])('may contain %s that is named like a transcript', async (name, make, broken) => {
    const named = inFolder(name)
    await cp(dirname(claude.sessionPath), named, { recursive: true })
    const session = join(named, basename(claude.sessionPath))
    await make(join(named, 'x.jsonl'))
    await make(join(named, 'agent-x.jsonl'))
    await make(join(session.replace('.jsonl', '/subagents'), 'agent-y.meta.json'))
    const state = parseTranscript('claude-sdk', claude.disk)
    const inside = await jsonWithErrors([named])
    expect(inside.json.state).toEqual(state)
    // The links were skipped in silence.
    expect(inside.err.match(/x\.jsonl|y\.meta\.json/g) ?? []).toHaveLength(broken)
    expect(inside.err.match(/: a link that leads to no file or folder\n/g) ?? []).toHaveLength(broken)
    expect((await json([session])).state).toEqual(state)
  })

  it('may contain a link to a transcript', async () => {
    await mkdir(inFolder('linked'))
    await symlink(claude.sessionPath, inFolder('linked/session.jsonl'))
    const { state } = await json([inFolder('linked')])
    expect(state.blocks).toEqual(parseTranscript('claude-sdk', claude.disk.main).blocks)
  })

  it.skipIf(!existsSync(UNREADABLE))('is refused with the name of the unreadable file', async () => {
    await mkdir(inFolder('unreadable'))
    const path = inFolder('unreadable/session.jsonl')
    await symlink(UNREADABLE, path)
    const { code, err } = await agentfold(['replay', inFolder('unreadable')])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${path}: EIO`) })
  })

  it('of both programs is read by --format', async () => {
    const both = inFolder('both')
    await cp(join(recordingsFolder, claude.name, 'transcript'), both, { recursive: true })
    for (const [name, content] of Object.entries(exports)) await file(`both/${name}`, content)
    const state = parseTranscript('claude-sdk', claude.disk)
    expect((await json([both])).state).toEqual(state)
    expect((await json([both, '--format', 'claude-sdk'])).state).toEqual(state)
    expect((await json([both, '--format', 'opencode'])).state).toEqual(parseTranscript('opencode', bundled))
  })

  it('with the exports of several sessions is refused', async () => {
    for (const name of ['01-plain-text', '02-reasoning'])
      for (const [path, content] of Object.entries(exportsOf(name))) await file(`two/${path}`, content)
    const { code, err } = await agentfold(['replay', inFolder('two')])
    expect(code).toBe(1)
    expect(err).toMatch(/several sessions/)
  })
})

describe('--format', () => {
  it.each<[string, Architecture]>([
    ['claude-sdk', 'opencode'],
    ['opencode', 'claude-sdk'],
  ])('overrides the detected format: %s', async (format, other) => {
    const content = other === 'opencode' ? events : claude.stream
    const { code, out, err } = await agentfold(['replay', '-', '--format', format], { stdin: [content] })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^agentfold: -: .*not a transcript[^\n]*\n$/)
  })

  it.each(['claude', 'Open-Code', '', '__proto__'])('refuses %j', async (format) => {
    const { code, out, err } = await agentfold(['replay', '-', `--format=${format}`])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^agentfold: .*--format .* is invalid\. Use [\w -]+\.\n\nusage: /)
    expect(err).toContain(`Use ${KNOWN_FORMATS}.`)
  })

  it('refuses a missing name', async () => {
    expect(await agentfold(['replay', '-', '--format'])).toMatchObject({ code: 2, out: '' })
  })

  it('ignores agent files of Claude Code beside a session of OpenCode', async () => {
    const path = await file('beside/session.jsonl', events)
    await file('beside/agent-a1.jsonl', toText([{ ...modelSays('m1', 'Hi.'), sessionId: 'session' }]))
    const { state, issues } = await json([path, '--format', 'opencode'])
    expect(state).toEqual(parseTranscript('opencode', events))
    expect(issues).toEqual([])
  })

  it('works with the other options', async () => {
    const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])
    const args = ['replay', '--format', 'claude-sdk', '-']
    const tree = await agentfold(args, { stdin: [hello] })
    expect(tree.out).toContain('“Hi.”')
    const printed = await agentfold([...args, '--events'], { stdin: [hello] })
    expect(printed.out).toContain('"type":"block:upsert"')
  })
})

it.each([
  'garbage\n',
  '{"tea":true}\n',
  '[]',
  '[{}]',
  'null',
  '42',
  '{"main":1,"subagents":[]}',
  '{"info":{}}',
])('an input without a known message is not a transcript: %j', async (content) => {
  for (const input of [['-'], [await file('unknown', content)]]) {
    const { code, out, err } = await agentfold(['replay', ...input], { stdin: [content] })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^agentfold: [^\n]*not a transcript[^\n]*\n$/)
  }
})
