import { describe, expect, it } from 'vitest'
import { parseTranscript, type SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { bareUpdates, type Recording, recordings, toLines } from '../../wires/acp/recordings.ts'
import { compare, excludedKinds, type Session } from './sessions.ts'

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

const loads: readonly Session[] = recordings
  .filter(({ name }) => !name.includes('two-turns'))
  .map(({ name, live, load }) => ({ name, live: acp(live), stored: acp(load) }))

const files: readonly Session[] = recordings.map((recording) => ({
  name: recording.name,
  live: acp(liveOf(recording)),
  stored: storedOf(recording),
}))

describe.each(loads)('$name: the stream and its load', (session) => {
  it('are equal', () => {
    expect(compare(session).differences).toEqual([])
  })

  it('exclude only content that one side does not carry', () => {
    expect(LOAD).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
  })
})

describe.each(files)('$name: the stream and the files of the agent’s program', (session) => {
  it('are equal', () => {
    expect(compare(session).differences).toEqual([])
  })

  it('exclude only content that the protocol does not carry', () => {
    expect(FILES).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
  })

  it('show a changed text', () => {
    const changed = (state: SessionConversationState) => ({
      ...state,
      blocks: state.blocks.map((block) =>
        block.type === 'assistant_text' ? { ...block, content: `${block.content}!` } : block,
      ),
    })
    const { live, stored } = session
    expect(compareSessions(live, changed(stored)).differences.length).toBeGreaterThan(0)
    expect(compareSessions(changed(live), stored).differences.length).toBeGreaterThan(0)
  })

  it('have no difference from themselves', () => {
    for (const side of [session.live, session.stored])
      expect(compareSessions(side, structuredClone(side)).differences).toEqual([])
  })
})

const isWhole = ({ name }: Recording) => !/two-turns|cancel/.test(name)

describe.each(recordings.filter(isWhole))('$name: the updates alone', (recording) => {
  const live = acp(toLines(bareUpdates(recording.live)))

  it('are equal to the load', () => {
    expect(compareSessions(live, acp(recording.load)).differences).toEqual([])
  })

  it('are equal to the files', () => {
    expect(compareSessions(live, storedOf(recording)).differences).toEqual([])
  })
})
