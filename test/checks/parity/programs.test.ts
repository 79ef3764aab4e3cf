import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseTranscript, type SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { bareUpdates, type Recording, recordings, toLines } from '../../wires/acp/recordings.ts'
import { beginTurn, item, readLines } from '../../wires/codex/made-lines.ts'
import { alignedSessions, codexSessions, compare, excludedKinds, type Session } from './sessions.ts'

const acp = (raw: string): SessionConversationState => parseTranscript('acp', raw)

// The load of this recording goes on with a prompt, and the files have that too.
const liveOf = ({ name, live, load }: Recording) => (name.includes('two-turns') ? live + load : live)

const storedOf = ({ stored: { architecture, transcript } }: Recording) =>
  parseTranscript(architecture, transcript)

/** The content that a replay lacks, or adds. */
const LOAD = [
  'live before-compaction',
  'live program-note',
  'live request',
  'live subagent-conversation',
  'live system-note',
  'live unknown-fact',
  'live unseen-usage',
  'stored program-note',
  // The summary of a compaction, and a gap in the history of an agent.
  'stored system-note',
  // The whole output of a command.
  'stored unknown-fact',
]

/** The content that the protocol does not carry. */
const FILES = [
  // A command of the person.
  'live program-note',
  'live request',
  'live request-words',
  'live system-note',
  'live tool-result-place',
  // The program, the cost, and a plan in other words.
  'live unknown-fact',
  // The tokens of a turn.
  'live unseen-usage',
  // Changes of the plan, and calls of unknown tools.
  'stored internal-call',
  'stored program-note',
  // The stable protocol has only the calls of an agent, or nothing of it.
  'stored subagent-conversation',
  'stored subagent-prompt',
  'stored subagent-text',
  'stored system-note',
  'stored thinking',
  // Times, models, and the messages of calls.
  'stored unknown-fact',
  'stored unseen-usage',
]

/** The content that only one form of Codex carries. */
const APP_SERVER = [
  // The text of a message that was cut.
  'live interrupted-text',
  'live request',
  // Warnings.
  'live system-note',
  // The times of a refused call.
  'live unknown-fact',
  'live tool-use-place',
  'live tool-result-place',
  'stored internal-call',
  // The summary of a compaction.
  'stored program-note',
  // The prompt of an agent of the newer tools.
  'stored subagent-prompt',
  'stored unknown-fact',
]
const OWN_IDS = ['live unseen-usage', 'stored unseen-usage']
const EXEC = [
  ...APP_SERVER,
  ...OWN_IDS,
  'stored prompt',
  'stored subagent-conversation',
  'stored system-note',
]

/** The content that only one form of Kimi Code carries. */
const SERVER = [
  'live unknown-fact',
  // The model of a step.
  'stored unknown-fact',
  // In the files, a request comes before its call.
  'live tool-result-place',
  // The tokens of a step that was stopped.
  'stored unseen-usage',
]
const LINES = [
  ...SERVER,
  'stored prompt',
  'stored program-note',
  'stored thinking',
  'stored turn-failure',
  'stored subagent-conversation',
]
const CONNECTION = [
  ...SERVER,
  'stored program-note',
  'stored subagent-conversation',
  'live request',
  'stored request',
  'live request-words',
]
const kimiForms = [...recordedForms(join(import.meta.dirname, '../../../fixtures/kimi'))]
const CARRIED: Readonly<Record<string, readonly string[]>> = {
  events: SERVER,
  stream: LINES,
  rpc: CONNECTION,
}

interface Pair extends Session {
  /** The content that only one side has. It may be any. */
  readonly carried?: readonly string[] | undefined
}

const pairs: readonly Pair[] = [
  ...recordings
    .filter(({ name }) => !name.includes('two-turns'))
    .map(({ name, live, load }) => ({
      name: `${name}, load`,
      live: acp(live),
      stored: acp(load),
      carried: LOAD,
    })),
  ...recordings.map((each) => ({
    ...{ name: `${each.name}, files`, live: acp(liveOf(each)), stored: storedOf(each), carried: FILES },
  })),
  ...recordings
    .filter(({ name }) => !/two-turns|cancel/.test(name))
    .flatMap((each) => {
      const live = acp(toLines(bareUpdates(each.live)))
      return [
        { name: `${each.name}, updates alone and load`, live, stored: acp(each.load) },
        { name: `${each.name}, updates alone and files`, live, stored: storedOf(each) },
      ]
    }),
  ...[...codexSessions, ...alignedSessions].map((session) => ({
    ...session,
    carried: session.name.startsWith('exec')
      ? EXEC
      : [...APP_SERVER, ...(session.name.includes('0.104') ? OWN_IDS : [])],
  })),
  ...kimiForms
    .filter(({ form }) => form !== 'store')
    .flatMap(({ recording, form, architecture, raw }) =>
      kimiForms
        .filter((each) => each.recording === recording && each.form === 'store')
        .map((stored) => ({
          name: `kimi ${recording}, ${form}`,
          live: parseTranscript(architecture, raw),
          stored: parseTranscript('kimi', stored.raw),
          carried: CARRIED[form],
        })),
    ),
]

describe.each(pairs)('$name', (session) => {
  const { live, stored, carried } = session

  it('is equal on both sides', () => {
    expect(compare(session).differences).toEqual([])
  })

  it.runIf(carried)('excludes only content that one side does not carry', () => {
    expect(carried).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
  })

  it('has no difference from itself', () => {
    for (const side of [live, stored])
      expect(compareSessions(side, structuredClone(side))).toEqual({ differences: [], excluded: [] })
  })

  it('shows a changed text, although ids may differ', () => {
    const changed = (state: SessionConversationState) => ({
      ...state,
      blocks: state.blocks.map((block) =>
        block.type === 'assistant_text' ? { ...block, content: `${block.content}!` } : block,
      ),
    })
    if (![live, stored].every(({ blocks }) => blocks.some(({ type }) => type === 'assistant_text'))) return
    expect(compareSessions(live, changed(stored)).differences.length).toBeGreaterThan(0)
    expect(compareSessions(changed(live), stored).differences.length).toBeGreaterThan(0)
  })
})

it('knows that a stream lacks the image that the model looks at', () => {
  const view = { id: 'c', path: 'file:///srv/a.png' }
  const live = readLines(...beginTurn, item({ type: 'imageView', ...view }))
  const entry = (payload: object) => ({ type: 'response_item', payload })
  const output = [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }]
  const stored = readLines(
    { type: 'session_meta', payload: { id: 't', cwd: '/srv/demo' } },
    { type: 'event_msg', payload: { type: 'task_started', turn_id: 'turn' } },
    entry({ type: 'function_call', name: 'view_image', call_id: 'c', arguments: '{"path":"/srv/a.png"}' }),
    { type: 'event_msg', payload: { type: 'item_completed', item: { type: 'ImageView', ...view } } },
    entry({ type: 'function_call_output', call_id: 'c', output }),
  )
  expect(JSON.stringify(stored.state)).toContain('AAAA')
  expect(compareSessions(live.state, stored.state).differences).toEqual([])
})
