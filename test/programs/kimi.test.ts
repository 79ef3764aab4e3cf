import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/entries/index.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { readTranscript } from '../../src/wires/transcript.ts'
import { factDifferences } from '../facts/check-facts.ts'
import { lawFaults } from '../laws/law-faults.ts'
import { recordedForms } from '../laws/recordings.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/kimi')
const forms = [...recordedForms(FOLDER)]

describe.each(forms)('$recording, $form', (form) => {
  it('obeys the laws Facts, Prefix and End', () => {
    expect(lawFaults(form)).toEqual([])
  })

  it('has no unknown line', () => {
    const { issues } = readTranscript(form.architecture, form.raw)
    expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
  })

  it('names its program', () => {
    const { events } = readTranscript(form.architecture, form.raw)
    const { state } = foldSessionEvents(createInitialConversationState(), events)
    expect(state.session.program).toMatch(/^(?:kimi|Kimi Code CLI)$/)
  })
})

/** Runs a test on a machine with the stored session of a recording. */
const onMachine = (name: string, run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder((home) => {
    mkdirSync(join(home, '.kimi-code'), { recursive: true })
    cpSync(join(FOLDER, name, 'store/sessions'), join(home, '.kimi-code/sessions'), { recursive: true })
    return run(home)
  })

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

it('lists a session once, with its facts and agents', () =>
  onMachine('23-swarm', async (home) => {
    expect(await list(home)).toMatchObject([
      {
        id: 'session_184f8dc0-203f-4d17-879c-363c8c441109',
        format: 'kimi',
        program: 'kimi',
        cwd: '/srv/demo',
        agents: 3,
        firstPrompt: 'Please explain the amber shore beside the apple.',
        startedAt: expect.stringMatching(/^2026-11-25T21:29:52/),
      },
    ])
  }))

it.each(['agents/main/wire.jsonl', ''])('reads a session with its agents by the path …/%s', (end) =>
  onMachine('23-swarm', async (home) => {
    const [session] = await list(home)
    const folder = session?.path.replace(/agents.main.wire\.jsonl$/, '') ?? ''
    const { state, issues } = await readSession(join(folder, end))
    const facts = forms.find(({ recording, form }) => recording === '23-swarm' && form === 'store')?.facts
    expect(facts && factDifferences(state, facts, { form: 'store' })).toEqual([])
    expect(state.session).toMatchObject({ id: session?.id, cwd: '/srv/demo', model: 'mock-model' })
    expect(issues).toEqual([])
  }),
)

it('follows a session with its agents', () =>
  onMachine('23-swarm', async (home) => {
    const [session] = await list(home)
    const stop = new AbortController()
    for await (const { state } of followSession(session?.path ?? '', { signal: stop.signal })) {
      if (state.subagents.length < 3 || state.turn.status !== 'finished') continue
      expect(state.subagents.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
      stop.abort()
    }
  }))
