import { cp, mkdir, symlink, truncate, utimes } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathsOf } from '../../../src/node/read/find-session.ts'
import type { Architecture } from '../../../src/programs/program.ts'
import { fileValue } from '../../../src/reading/input/jsonl.ts'
import type { FileReader } from '../../../src/reading/input/transcript-files.ts'
import { formatOf } from '../../../src/wires/all.ts'
import { assistantMessage, type Message, text, toText } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()

const said = (id: string, content: string, more: Message = {}) =>
  assistantMessage(id, text(content), { uuid: `${id}-uuid`, ...more })
const ofSession = (sessionId: string, agentId: string) =>
  toText([said(agentId, `I am ${agentId}.`, { sessionId, agentId, isSidechain: true })])
const hello = toText([said('m1', 'Hi.')])
const other = toText([said('m2', 'Other.')])

/** Node cannot read a file of this size as one text, so a command that tries to fails. */
const UNREADABLE = 2 ** 31

async function unreadableFile(name: string, beginning: string): Promise<string> {
  const path = await file(name, beginning)
  await truncate(path, UNREADABLE)
  return path
}

const agentIds = (out: string) =>
  JSON.parse(out)
    .state.subagents.map((agent: { toolUseId: string }) => agent.toolUseId)
    .sort()

/** A reader of files in memory that records what it was asked for. */
function recordingReader(files: Readonly<Record<string, string>>) {
  const wholeFiles: string[] = []
  const lineCounts: Record<string, number> = {}
  const reader: FileReader = {
    *values(path) {
      for (const line of (files[path] ?? '').split('\n').filter((each) => each !== '')) {
        lineCounts[path] = (lineCounts[path] ?? 0) + 1
        yield fileValue(line)
      }
    },
    value(path) {
      wholeFiles.push(path)
      return fileValue(files[path] ?? '')
    },
    names: () => [],
  }
  return { reader, wholeFiles, lineCounts }
}

const select = (architecture: Architecture, paths: readonly string[], reader: FileReader) =>
  formatOf(architecture).files.transcripts(paths, reader).flatMap(pathsOf)

function errorOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

// The times of the files decided the order of the error, and the last times of the sessions that of the list.
it('the error about several sessions has the order and the titles of the list', async () => {
  const sessionAt = (hour: number) =>
    toText([said(`h${hour}`, 'Hi.', { timestamp: `2026-01-01T0${hour}:00:00.000Z` })])
  const late = await file('ordered/late.jsonl', sessionAt(9))
  await file('ordered/early.jsonl', sessionAt(1))
  for (const hour of [2, 3, 4, 5]) await file(`ordered/h${hour}.jsonl`, sessionAt(hour))
  await utimes(late, 100, 100)
  const { err } = await agentfold(['replay', inFolder('ordered')])
  const ids = err.split('\n').flatMap((line) => /^ {2}(\w+) · Session /.exec(line)?.[1] ?? [])
  const { out } = await agentfold(['list', inFolder('ordered')])
  expect(ids).toEqual(['late', 'h5', 'h4', 'h3', 'h2'])
  expect(out.split('\n').map((line) => line.split('\t')[0])).toEqual([...ids, 'early', ''])
  expect(err).toMatch(/and 1 older: see agentfold list\n$/)
})

it('a list of a folder has the sessions whose file has another name', async () => {
  const path = join(import.meta.dirname, '../../../fixtures/codex/01-plain-text/stdout.ndjson')
  await cp(path, await file('renamed/rollout.jsonl', ''))
  await file('renamed/notes.jsonl', '{"tea":true}\n')
  const { out } = await agentfold(['list', inFolder('renamed')])
  expect(out.split('\n')).toEqual([expect.stringContaining('\tcodex\t'), ''])
})

describe('the agent files beside a session', () => {
  // 300 MB of other sessions' agent files took 726 MB of memory.
  it('are read whole only if their first line names the session', async () => {
    const path = await file('beside/s1.jsonl', hello)
    await file('beside/agent-a1.jsonl', `\n${ofSession('s1', 'a1')}`)
    await unreadableFile('beside/agent-b1.jsonl', ofSession('s2', 'b1'))
    await unreadableFile('beside/agent-c1.jsonl', 'no JSON\n')
    await file('beside/agent-d1.jsonl', '')
    for (const input of [path, dirname(path)]) {
      const { out, err } = await agentfold(['replay', '--json', input])
      expect(err).toBe('')
      expect(agentIds(out)).toEqual(['a1'])
    }
  })

  it('change nothing if all belong to other sessions', async () => {
    const path = await file('foreign/s1.jsonl', hello)
    await unreadableFile('foreign/agent-b1.jsonl', ofSession('s2', 'b1'))
    const { out } = await agentfold(['replay', path])
    expect(out).toContain('“Hi.”')
  })

  it('may have a first line of megabytes', async () => {
    const path = await file('wide/s1.jsonl', hello)
    const line = said('a1', 'x'.repeat(3_000_000), { sessionId: 's1', agentId: 'a1' })
    await file('wide/agent-a1.jsonl', toText([line, line]))
    expect(agentIds((await agentfold(['replay', '--json', path])).out)).toEqual(['a1'])
  })

  it('are asked for one line each, and the session for none', async () => {
    const lines = (id: string, sessionId: string) => ofSession(sessionId, id).repeat(5)
    const files = {
      '/p/s1.jsonl': hello,
      '/p/agent-a.jsonl': lines('a', 's1'),
      '/p/agent-b.jsonl': lines('b', 's2'),
    }
    const { reader, wholeFiles, lineCounts } = recordingReader(files)
    const selected = select('claude-sdk', Object.keys(files), reader)
    expect(selected).toEqual(['/p/s1.jsonl', '/p/agent-a.jsonl'])
    expect({ wholeFiles, lineCounts }).toEqual({
      wholeFiles: [],
      lineCounts: { '/p/agent-a.jsonl': 1, '/p/agent-b.jsonl': 1 },
    })
  })

  it('belong to the session if they are in its own folder: they are not opened', async () => {
    const paths = [
      's1.jsonl',
      's1\\subagents\\agent-a.jsonl',
      's1\\subagents\\agent-a.meta.json',
      's2\\subagents\\agent-b.jsonl',
    ]
    const { reader, lineCounts } = recordingReader({})
    expect(select('claude-sdk', paths, reader)).toEqual(paths.slice(0, 3))
    expect(lineCounts).toEqual({})
  })
})

describe('a folder', () => {
  it('with several sessions is refused by the beginnings of its files, with the paths of the sessions, newest first', async () => {
    const one = await unreadableFile('projects/a/s1.jsonl', hello)
    const two = await unreadableFile('projects/b/s2.jsonl', other)
    await unreadableFile('projects/a/s1/subagents/agent-a1.jsonl', ofSession('s1', 'a1'))
    await utimes(one, 100, 100)
    await utimes(two, 200, 200)
    const { code, out, err } = await agentfold(['replay', inFolder('projects')])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(
      [
        `agentfold: ${inFolder('projects')}: several sessions, choose one:`,
        `  ${basename(two, '.jsonl')} · Session ${basename(two, '.jsonl')} · ${relative(inFolder('projects'), two)}`,
        `  ${basename(one, '.jsonl')} · Session ${basename(one, '.jsonl')} · ${relative(inFolder('projects'), one)}`,
        '',
      ].join('\n'),
    )
  })

  it('with several sessions needs their first messages alone', async () => {
    const lines = (name: string) =>
      toText([{ type: 'summary' }, ...Array.from({ length: 99 }, (_, at) => said(`${name}${at}`, '.'))])
    const files = { 's1.jsonl': lines('s1'), 's2.jsonl': lines('s2') }
    const { reader, wholeFiles, lineCounts } = recordingReader(files)
    expect(errorOf(() => select('claude-sdk', Object.keys(files), reader))).toMatchObject({
      code: 'several-sessions',
    })
    expect({ wholeFiles, lineCounts }).toEqual({
      wholeFiles: [],
      lineCounts: { 's1.jsonl': 21, 's2.jsonl': 21 },
    })
  })

  it('may contain one session among files without a message', async () => {
    await file('messages/s1.jsonl', hello)
    await file('messages/empty.jsonl', '')
    await unreadableFile('messages/notes.jsonl', toText([{ type: 'summary', summary: 'Tea' }]))
    const { out } = await agentfold(['replay', inFolder('messages')])
    expect(out).toContain('“Hi.”')
  })

  it('may contain a fork that begins with its own lines, and the agents of the session that it copies', async () => {
    await file('fork/s1.jsonl', hello)
    await file('fork/agent-a1.jsonl', ofSession('s1', 'a1'))
    await file('fork/s2.jsonl', toText([said('m0', 'Forked.')]) + hello)
    const { out } = await agentfold(['replay', '--json', inFolder('fork')])
    const { state } = JSON.parse(out)
    expect(state.blocks.map(({ content }: { content: string }) => content)).toEqual(['Forked.', 'Hi.'])
    expect(agentIds(out)).toEqual(['a1'])
  })

  it('of OpenCode is read file by file', async () => {
    const exportOf = (id: string, parentID?: string) =>
      JSON.stringify({ info: { id, parentID }, messages: [] })
    const files = {
      'a.json': exportOf('a'),
      'b.json': exportOf('b', 'a'),
      'c.json': '{"cut',
      'd.json': '{"tea":1}',
    }
    const { reader, wholeFiles } = recordingReader(files)
    expect(select('opencode', Object.keys(files), reader)).toEqual(['a.json', 'b.json', 'c.json'])
    expect(wholeFiles).toEqual(Object.keys(files))
    const several = recordingReader({ ...files, 'e.json': exportOf('e') })
    expect(
      errorOf(() => select('opencode', [...Object.keys(files), 'e.json'], several.reader)),
    ).toMatchObject({
      code: 'several-sessions',
      message: 'several sessions, choose one:\n  a.json\n  e.json',
    })
  })
})

describe('links', () => {
  // A link to its own parent listed each file 40 times, and two of them never ended.
  it('that lead around in a folder neither stop nor repeat anything', async () => {
    const home = inFolder('around')
    await file('around/a/s1.jsonl', hello)
    await file('around/a/agent-a1.jsonl', ofSession('s1', 'a1'))
    await file('outside.jsonl', other)
    await mkdir(join(home, 'b'))
    await symlink('..', join(home, 'up'))
    await symlink('..', join(home, 'a/up'))
    await symlink('.', join(home, 'a/self'))
    await symlink('../b', join(home, 'a/b'))
    await symlink('../a', join(home, 'b/a'))
    await symlink(home, join(home, 'b/home'))
    await symlink('x', join(home, 'y'))
    await symlink('y', join(home, 'x'))
    const { code, out, err } = await agentfold(['replay', '--json', home])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out).state.blocks).toHaveLength(1)
    expect(agentIds(out)).toEqual(['a1'])
  })

  it('that lead around in the folder of the agents bring no agent of another session', async () => {
    const path = await file('agents/s1.jsonl', hello)
    await file('agents/s1/subagents/agent-a1.jsonl', ofSession('s1', 'a1'))
    await unreadableFile('agents/agent-b1.jsonl', ofSession('s2', 'b1'))
    await symlink('../..', inFolder('agents/s1/subagents/up'))
    expect(agentIds((await agentfold(['replay', '--json', path])).out)).toEqual(['a1'])

    const linked = await file('linked/s1.jsonl', hello)
    await unreadableFile('linked/agent-b1.jsonl', ofSession('s2', 'b1'))
    await mkdir(inFolder('linked/s1'))
    await symlink('..', inFolder('linked/s1/subagents'))
    const { out, err } = await agentfold(['replay', linked])
    expect(err).toBe('')
    expect(out).toContain('“Hi.”')
  })

  it('to a file in the same folder do not count as a second one: its own name stays', async () => {
    await file('twice/s1.jsonl', hello)
    await file('twice/agent-a1.jsonl', ofSession('s1', 'a1'))
    await symlink('s1.jsonl', inFolder('twice/latest.jsonl'))
    await symlink('agent-a1.jsonl', inFolder('twice/agent-0.jsonl'))
    await mkdir(inFolder('twice/sub'))
    await symlink('../s1.jsonl', inFolder('twice/sub/again.jsonl'))
    expect(agentIds((await agentfold(['replay', '--json', inFolder('twice')])).out)).toEqual(['a1'])
  })

  it('to folders and files elsewhere are followed', async () => {
    await file('elsewhere/s1.jsonl', hello)
    await file('elsewhere/s1/subagents/agent-a1.jsonl', ofSession('s1', 'a1'))
    await mkdir(inFolder('follow'))
    await symlink('../elsewhere', inFolder('follow/there'))
    await symlink('../elsewhere', inFolder('follow/there too'))
    expect(agentIds((await agentfold(['replay', '--json', inFolder('follow')])).out)).toEqual(['a1'])
    expect(agentIds((await agentfold(['replay', '--json', inFolder('follow/there')])).out)).toEqual(['a1'])
  })
})
