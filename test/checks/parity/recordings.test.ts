import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { ofType, textsOf, threadsOf } from '../../wires/recordings.ts'
import {
  allSessions,
  busSessions,
  claudeSessions,
  compare,
  earlierSessions,
  excludedKinds,
  runSessions,
} from './sessions.ts'

/** The content that one side of Claude Code does not carry. */
const CLAUDE = [
  // A stream that was killed ends within a message.
  'live interrupted-text',
  // The stream has costs, models and runs. The files have most times.
  'live unknown-fact',
  'stored unknown-fact',
  // The stream has only early figures for subagents and interrupted messages.
  'live provisional-usage',
  'live tool-result-place',
  // Hooks have other ids and places.
  'live system-note',
  'stored system-note',
  // Notifications, commands, and messages for the model alone.
  'stored program-note',
  // A file has a request only with the person's answer, and with neither its id nor its words.
  'live request',
  'live request-words',
  // The prompt of a background agent.
  'stored subagent-prompt',
]
const WITHOUT_REPLAY = ['stored prompt']
const WITHOUT_FORWARDING = ['live tool-use-place', 'stored subagent-text', 'stored unseen-usage']
/** Files of 1.x and 2.0 lack the final tokens of most messages. */
const EARLIER = ['stored provisional-usage']
/** Lines of `run` have no session facts, no prompts and, without `--thinking`, no thinking. */
const RUN = ['stored unknown-fact', 'stored prompt', 'stored thinking', 'live tool-result-place']

describe.each(allSessions)('$name', (session) => {
  it('is equal on both sides', () => {
    expect(compare(session).differences).toEqual([])
  })

  it.each(['live', 'stored'] as const)('has no difference from itself: %s', (side) => {
    const { differences, excluded } = compareSessions(session[side], structuredClone(session[side]))
    expect(differences).toEqual([])
    expect(excluded).toEqual([])
  })

  // Checked here without the comparison's own code.
  it('has the same texts, tool inputs and tool outputs of main', () => {
    const { live, stored } = session
    expect(storedTexts(session.name, live)).toEqual(textsOf(stored))
    expect(callsOf(live)).toEqual(callsOf(stored))
    expect(resultsOf(live)).toEqual(resultsOf(stored))
    expect(reportsOf(live)).toEqual(reportsOf(stored))
  })

  it('has the same subagents under the same parents, in the order of their start', () => {
    const lineage = ({ subagents }: SessionConversationState) =>
      subagents.map(({ toolUseId, agentId, parentConversationId }) => [
        toolUseId,
        agentId,
        parentConversationId,
      ])
    expect(lineage(session.live)).toEqual(lineage(session.stored))
  })

  it('has the session’s facts on the stored side', () => {
    expect(Object.keys(session.stored.session)).toEqual(
      expect.arrayContaining(['id', 'cwd', 'program', 'version']),
    )
  })
})

describe.each([...claudeSessions, ...earlierSessions])('the files of $name', (session) => {
  const carried = [
    ...CLAUDE,
    ...(session.isReplaying ? [] : WITHOUT_REPLAY),
    ...(session.isForwarding ? [] : WITHOUT_FORWARDING),
    ...(earlierSessions.includes(session) ? EARLIER : []),
  ]

  it('exclude only content that one side does not carry', () => {
    expect(carried).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
  })

  it('have their results in the same order', () => {
    const idsIn = (state: SessionConversationState) =>
      threadsOf(state).map((thread) => ofType(thread, 'tool_result').map(({ id }) => id))
    expect(idsIn(session.live)).toEqual(idsIn(session.stored))
  })
})

/** The content that only the bus has. A refusal or a question leaves a trace in its call, without the id of the request. */
const BUS: Readonly<Record<string, readonly string[]>> = {
  '01-permission': ['live request', 'live request-words'],
  '05-question': ['live request-words'],
  '09-retry': ['live system-note'],
}

it.each(busSessions)('the bus and the export of $name have equal content, with all times', (session) => {
  expect([...excludedKinds(compare(session))]).toEqual(BUS[session.name] ?? [])
})

it.each(runSessions)('$name excludes only content that the lines do not carry', (session) => {
  expect(RUN).toEqual(expect.arrayContaining([...excludedKinds(compare(session))]))
})

describe('the excluded content', () => {
  const countIn = (name: string, kind: string) =>
    allSessions
      .filter((session) => session.name === name)
      .flatMap((session) => compare(session).excluded)
      .filter((each) => each.kind === kind)

  it('has the known counts', () => {
    expect(countIn('09-resume', 'prompt')).toEqual([{ kind: 'prompt', side: 'stored', count: 2 }])
    expect(countIn('04b-subagent-default', 'subagent-text')).toEqual([
      { kind: 'subagent-text', side: 'stored', count: 3 },
    ])
    expect(countIn('11a-killed-main', 'interrupted-text')).toEqual([
      { kind: 'interrupted-text', side: 'live', count: 1 },
    ])
    expect(countIn('02-reasoning by itself', 'thinking')).toEqual([
      { kind: 'thinking', side: 'stored', count: 2 },
    ])
  })

  it('has each kind once for each side', () => {
    for (const session of allSessions) {
      const kinds = excludedKinds(compare(session))
      expect(new Set(kinds).size).toBe(kinds.length)
      expect(compare(session).excluded.every(({ count }) => count > 0)).toBe(true)
    }
  })
})

// The program was killed in its last text, so only the stream has that.
const storedTexts = (name: string, state: SessionConversationState) =>
  name === '11a-killed-main' ? textsOf(state).slice(0, -1) : textsOf(state)
const callsOf = (state: SessionConversationState) =>
  ofType(state, 'tool_use').map(({ toolUseId, toolName, input }) => ({ toolUseId, toolName, input }))
// Lines of `run` are in the order of the calls, exports in the order of the results.
const resultsOf = (state: SessionConversationState) =>
  new Map(
    ofType(state, 'tool_result').map(({ toolUseId, output, isError }) => [toolUseId, [output, isError]]),
  )
const reportsOf = (state: SessionConversationState) =>
  ofType(state, 'subagent').map(({ toolUseId, input, output, status }) => [toolUseId, input, output, status])
