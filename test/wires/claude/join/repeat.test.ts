import { describe, expect, it } from 'vitest'
import { isObject } from '../../../../src/core/json/values.ts'
import type { SessionConversationState } from '../../../../src/entries/index.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { depth } from '../../../depth.ts'
import { allRecordings, messagesIn } from '../../recordings.ts'

const streams = allRecordings.map(({ name, stream }) => [name, messagesIn(stream)] as const)

const read = (messages: readonly unknown[], from?: SessionConversationState) =>
  claudeSource.read(claudeSource.open(from), messages).session.state

/** Returns at most that many places in front of a message that is no part of another one: a text must come again from its start (docs/reopening.md). */
function places(
  messages: readonly unknown[],
  most: number,
  isPlace: (at: number) => boolean,
): readonly number[] {
  const all = [...messages.keys()].filter(isPlace)
  return all.filter((_, at) => at % Math.ceil(all.length / most) === 0)
}

const isType = (message: unknown, ...types: readonly string[]) =>
  isObject(message) && types.some((type) => type === message.type)

/** What a person sees of a state, with the tokens. */
const shown = ({ turn, blocks, usage, subagents, branches }: SessionConversationState) => ({
  turn: [turn.status, turn.error],
  threads: [{ blocks, usage }, ...subagents].map((thread) => [thread.blocks, thread.usage]),
  agents: subagents.map(({ toolUseId, status, output, durationMs }) => [
    toolUseId,
    status,
    output,
    durationMs,
  ]),
  branches,
})

describe.each(streams)('a client that opens the state of %s', (_, messages) => {
  const from = places(messages, depth({ few: 1, all: 4 }), (at) => !isType(messages[at], 'stream_event'))

  it('sees the same after the stream has come again, from any line', () => {
    const state = read(messages)
    for (const at of from) expect(shown(read(messages.slice(at), state)), `from ${at}`).toEqual(shown(state))
  })

  it('sees the same as without a reconnect, if it joins at any line and earlier ones come again', () => {
    const state = read(messages)
    for (const cut of places(messages, depth({ few: 1, all: 4 }), (at) =>
      isType(messages[at - 1], 'user', 'result', 'system'),
    ))
      for (const at of from.filter((first) => first <= cut)) {
        const joined = read(messages.slice(at), read(messages.slice(0, cut)))
        expect(shown(joined), `cut ${cut}, from ${at}`).toEqual(shown(state))
      }
  })
})
