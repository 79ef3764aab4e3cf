import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSession } from '../../src/entries/node.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** A session's own file in the folder of its program, and the number of agents that have a file of their own. */
const SESSIONS = [
  ['claude-code/04b-subagent-default/transcript', '-srv-demo/9d8b7af0-bf2c-4833-aade-d7622eb98537.jsonl', 1],
  [
    'codex/09b-subagent-v2/sessions/2026/11/22',
    'rollout-2026-11-22T17-23-19-01a20448-a420-7b33-bbb9-64730a3894af.jsonl',
    1,
  ],
  ['gemini/06-subagent/store/demo', 'chats/session-2026-11-25T22-19-bf90e466.jsonl', 1],
  ['qwen/06-subagent/store/.qwen/projects/-srv-demo', 'chats/56f4cc11-9e8e-41ef-8455-eca782a66e13.jsonl', 1],
  [
    'kimi/23-swarm/store/sessions/wd_demo_926574b4279e',
    'session_184f8dc0-203f-4d17-879c-363c8c441109/agents/main/wire.jsonl',
    3,
  ],
  ['cline/07-three/store/.cline/data/sessions', '1795643922912_zeib6/1795643922912_zeib6.messages.json', 3],
  ['grok/06-subagent/sessions', '%2Fsrv%2Fdemo/01a214ac-865d-7421-a48e-4c1235d6433f/updates.jsonl', 1],
  [
    'pi/omp-06-subagent/store/.omp/agent/sessions',
    '--srv-demo--/2026-11-25T22-02-18-798Z_01a214bb-252e-724f-9eeb-ccd4ed1030bb.jsonl',
    1,
  ],
] as const

const missingIn = async (path: string) =>
  (await readSession(path)).issues.filter(({ code }) => code === 'missing-agent-transcript')

describe.each(SESSIONS)('a session in %s', (folder, name, agents) => {
  it('says which agents have no file', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'agentfold-alone-'))
    onTestFinished(() => rm(copy, { recursive: true }))
    // Cline writes the facts of a session into a file beside its messages.
    const files = [name, ...(name.endsWith('.messages.json') ? [name.replace('.messages', '')] : [])]
    for (const each of files) await cp(join(FIXTURES, folder, each), join(copy, each))
    const { state } = await readSession(join(copy, name))
    expect(await missingIn(join(copy, name))).toEqual(
      state.subagents.map(({ toolUseId }) => ({ code: 'missing-agent-transcript', count: 1, toolUseId })),
    )
    expect(state.subagents).toHaveLength(agents)
  })

  it('has no such issue with all its files', async () => {
    expect(await missingIn(join(FIXTURES, folder, name))).toEqual([])
  })
})

it.each(['copilot/08-nested/stream.ndjson', 'kimi/06-subagent-0.43.1/stream.ndjson'])(
  'is no issue of a stream, which has no files: %s',
  async (name) => {
    expect(await missingIn(join(FIXTURES, name))).toEqual([])
  },
)
