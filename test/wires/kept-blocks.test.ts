import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  findConversation,
  type SessionConversationState,
  type SessionEvent,
} from '../../src/entries/index.ts'
import type { Source } from '../../src/entries/source-kit.ts'
import type { CombinedTranscript } from '../../src/reading/input/combined.ts'
import type { Session } from '../../src/reading/source.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { opencodeSource } from '../../src/wires/opencode/source.ts'
import { isThorough, runs } from '../depth.ts'
import { expectSame } from '../expect-same.ts'
import { messagesOf } from './messages-in.ts'
import * as opencode from './opencode/recordings.ts'
import * as claude from './recordings.ts'
import { type Replayed, threadsOf } from './recordings.ts'

type Raw = string | CombinedTranscript

/** A recorded session: its messages, and the result of reading the whole input. */
interface Input {
  readonly name: string
  readonly source: Source
  readonly messages: readonly unknown[]
  readonly whole: () => Replayed
}

const claudeInput = (name: string, raw: Raw) => ({
  name: `Claude Code, ${name}`,
  source: claudeSource,
  messages: messagesOf('claude-sdk', raw),
  whole: () => claude.replay(raw),
})
const opencodeInput = (name: string, raw: Raw) => ({
  name: `OpenCode, ${name}`,
  source: opencodeSource,
  messages: messagesOf('opencode', raw),
  whole: () => opencode.replay(raw),
})

const claudeInputs = claude.allRecordings.flatMap(({ name, stream, disk }) => [
  claudeInput(`${name}, stream`, stream),
  claudeInput(`${name}, disk`, disk),
])
const opencodeInputs = opencode.recordings.flatMap(({ name, events, disk, run }) => [
  opencodeInput(`${name}, events`, events),
  opencodeInput(`${name}, exports`, disk),
  ...(run === '' ? [] : [opencodeInput(`${name}, run`, run)]),
])

describe.each(isThorough ? [] : [...claudeInputs, ...opencodeInputs])('$name', expectLaws)

function expectLaws(input: Input): void {
  it('gives the same message by message as in one go', () => {
    const { source, messages } = input
    const { session, issues } = source.read(source.open(), messages)
    const end = source.end(session)
    const whole = input.whole()
    const [actual, expected] = [
      { state: end.session.state, ending: end.ending },
      { state: whole.state, ending: whole.ending },
    ]
    expectSame(actual, expected, { recording: input.name })
    expect([...issues, ...end.issues]).toHaveLength(whole.issues.reduce((sum, { count }) => sum + count, 0))
    expect(whole.reducerIssues.map(({ code }) => code)).not.toContain('unknown-event')
  })

  // 2.1.197 reports a failed agent as completed and then as failed. The last report of a run counts.
  if (input.name.includes('08c-subagent-fails of 2.1.197')) return

  it('keeps final blocks and subagents', () => {
    let session = input.source.open()
    for (const message of input.messages) {
      const { state } = session
      const reading = input.source.read(session, [message])
      session = reading.session
      expectKept(state, session.state, reading.events)
    }
  })
}

describe('two branches from one session do not affect each other', () => {
  const has = (parts: readonly string[]) => (input: { readonly name: string }) =>
    parts.some((part) => input.name.includes(`, ${part},`))
  const samples = [
    '03-tools',
    '06-nested-forward',
    '07d-send-message',
    '08e-main-drop',
    '11d-control-interrupt',
  ]
  it.each(claudeInputs.filter(has(samples)))('$name', expectIndependence)
  it.each(opencodeInputs.filter(has(['03-tools', '06-nested', '07-background', '11a-abort'])))(
    '$name',
    expectIndependence,
  )
})

function expectIndependence({ name, source, messages }: Input): void {
  const places = fc.tuple(fc.nat({ max: messages.length }), fc.nat({ max: messages.length }))
  fc.assert(
    fc.property(places, ([trunkEnd, skipped]) => {
      let session = source.open()
      for (const message of messages.slice(0, trunkEnd)) session = source.read(session, [message]).session
      const branches = [messages.slice(trunkEnd), messages.slice(Math.max(trunkEnd, skipped))]
      const alone = branches.map((branch) => readInTurns(source, session, [branch])[0])
      const inTurns = readInTurns(source, session, branches)
      expectSame(inTurns, alone, { recording: name, cut: `${trunkEnd} and ${skipped}` })
    }),
    { numRuns: runs(10) },
  )
}

/** Reads one message of each branch after the other. Returns the events of each branch. */
function readInTurns(
  source: Source,
  start: Session,
  branches: readonly (readonly unknown[])[],
): readonly SessionEvent[][] {
  const walks = branches.map((branch) => ({ branch, session: start, events: [] as SessionEvent[] }))
  const longest = Math.max(...branches.map(({ length }) => length))
  for (let at = 0; at < longest; at += 1)
    for (const walk of walks) {
      if (at >= walk.branch.length) continue
      const { session, events } = source.read(walk.session, [walk.branch[at]])
      walk.session = session
      walk.events.push(...events)
    }
  return walks.map(({ events }) => events)
}

/** A final block stays, unless an event removes it. A final subagent stays final, unless an event resumes it. */
function expectKept(
  before: SessionConversationState,
  after: SessionConversationState,
  events: readonly SessionEvent[],
): void {
  const retracted = new Set(events.flatMap((event) => (event.type === 'block:removed' ? event.blockId : [])))
  const resumed = new Set(
    events.flatMap((event) => (event.type === 'subagent:resumed' ? event.toolUseId : [])),
  )
  for (const thread of threadsOf(before)) {
    // A subagent that is known before its call gets the call's id later.
    const later = findConversation(after, thread.blocks[0]?.conversationId ?? 'main')
    if (later?.blocks === thread.blocks) continue
    const found = new Map(later?.blocks.map((block) => [block.id, block]))
    for (const block of thread.blocks) {
      const kept = found.get(block.id)
      if (kept === block || retracted.has(block.id) || !isFinal(block)) continue
      if (block.type === 'subagent' && resumed.has(block.toolUseId)) continue
      if (!kept || !isDeepStrictEqual(essence(kept), essence(block))) expect(kept).toEqual(block)
    }
  }
  for (const { toolUseId, status } of before.subagents)
    if ((status === 'success' || status === 'error') && !resumed.has(toolUseId))
      expect(findConversation(after, toolUseId)).toMatchObject({ status })
}

const isFinal = ({ status }: ConversationBlock) => status !== 'pending' && status !== 'running'

/**
 * A block without the fields that later messages may add to a final one: its time, the facts of an agent's run, the sum of a turn's changes
 * on its prompt, and the words of a person's refusal.
 */
function essence(block: ConversationBlock): object {
  if (block.type === 'subagent') return { id: block.id, status: block.status, input: block.input }
  const { timestamp, ...rest } = block
  if (rest.type === 'user_message') {
    const { changes, checkpoint, ...message } = rest
    return message
  }
  if (rest.type !== 'request') return rest
  const { comment, ...request } = rest
  return request
}
