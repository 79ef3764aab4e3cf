import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { parseTranscript } from '../../src/wires/transcript.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { read } from '../wires/gemini/recordings.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/gemini')

/** Runs a test on a machine with the stored chats of recordings. */
const onMachine = (
  names: readonly string[],
  run: (home: string, list: () => Promise<readonly SessionSummary[]>) => Promise<void>,
): Promise<void> =>
  inNewFolder(async (home) => {
    const folder = join(home, '.gemini/tmp')
    mkdirSync(folder, { recursive: true })
    for (const name of names) cpSync(join(FOLDER, name), folder, { recursive: true })
    await run(home, async () => {
      const found: SessionSummary[] = []
      for await (const each of listSessions({ home })) found.push(each)
      return found
    })
  })

describe('the chats on a machine', () => {
  it('are listed once each, and no chat without a prompt is', () =>
    onMachine(['06-subagent/store', '04-edits/acp-store', '13c-killed-subagent/store'], async (_, list) => {
      const found = await list()
      const agents = new Map(found.map((session) => [session.firstPrompt, session.agents]))
      expect(found).toHaveLength(3)
      expect(agents).toEqual(
        new Map([
          ['Change a few files.', 0],
          ['Post a guard.', 1],
          ['What is in line two? Use an agent.', 1],
        ]),
      )
      expect(found.every(({ format, program }) => format === 'gemini' && program === 'gemini')).toBe(true)
      for (const { id, startedAt } of found)
        expect([id, startedAt]).toEqual([expect.stringMatching(/-/), expect.stringMatching(/^2026/)])
    }))

  it('have their agents’ files beside them', () =>
    onMachine(['06-subagent/store'], async (_, list) => {
      const [session] = await list()
      const { state, issues } = await readSession(session?.path ?? '')
      expect(issues).toEqual([])
      expect(state.subagents).toMatchObject([
        { name: 'generalist', status: 'success', output: 'The second line is two.' },
      ])
      expect(state.subagents[0]?.blocks.length).toBeGreaterThan(3)
    }))

  it('are followed with their agents', () =>
    onMachine(['06-subagent/store'], async (_, list) => {
      const [session] = await list()
      const controller = new AbortController()
      for await (const { state } of followSession(session?.path ?? '', { signal: controller.signal })) {
        if (state.subagents[0]?.status === 'success') controller.abort()
        if (state.subagents[0]?.status === 'success') expect(state.subagents[0].blocks).not.toEqual([])
      }
    }))

  it('of older versions are one document each', () =>
    onMachine(['0.24.0-03-tools/store'], async (_, list) => {
      const found = await list()
      expect(found).toHaveLength(1)
      expect((await readSession(found[0]?.path ?? '')).state.turn.status).toBe('finished')
    }))
})

describe('a connection of ACP', () => {
  const stateOf = (name: string) =>
    parseTranscript('acp', readFileSync(join(FOLDER, name, 'acp.ndjson'), 'utf8'))

  it('names the program, and its tools by the ids of the calls', () => {
    const { session, blocks } = stateOf('04-edits')
    expect(session.program).toBe('gemini-cli')
    const tools = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.toolName] : []))
    expect(tools).toContain('write_file')
    expect(tools).toContain('replace')
  })

  it('has the call of an agent, with its name', () => {
    expect(stateOf('06-subagent').subagents).toMatchObject([{ name: 'generalist', status: 'success' }])
  })
})

it('has a state without messages for a chat without messages', () => {
  expect(read([{ sessionId: 's', projectHash: 'p' }]).blocks).toEqual([])
})
