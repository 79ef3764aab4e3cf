import { describe, expect, it } from 'vitest'
import { identifySession } from '../../../src/entries/identity.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import type { Source } from '../../../src/entries/source-kit.ts'
import { claudeSource } from '../../../src/wires/claude/source.ts'
import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { sampleOf } from '../../depth.ts'
import * as opencode from '../../wires/opencode/recordings.ts'
import { earlierRecordings, messagesIn, recordings } from '../../wires/recordings.ts'

const options = { agentTypeHash: 'type' }

/** A place costs as much as the rest of the stream. */
const MOST_PLACES = 32

/**
 * Returns the hashes of subagents that differ from the whole stream if it begins later. A resumed subagent has another call id then,
 * so it is not compared.
 */
function wrongIn(source: Source, text: string): readonly string[] {
  const messages = messagesIn(text)
  const right = hashesIn(stateOf(source, messages))
  return sampleOf([...messages.keys()].slice(1), MOST_PLACES).flatMap((from) => {
    return [...hashesIn(stateOf(source, messages.slice(from)))].flatMap(([id, hash]) =>
      id !== 'main' && right.has(id) && hash !== undefined && hash !== right.get(id)
        ? [`${id} from message ${from}`]
        : [],
    )
  })
}

function stateOf(source: Source, messages: readonly unknown[]): SessionConversationState {
  return source.end(source.read(source.open(), messages).session).session.state
}

function hashesIn(state: SessionConversationState): ReadonlyMap<string, string | undefined> {
  return new Map(
    identifySession(state, options).map(({ conversationId, identity }) => [
      conversationId,
      identity?.conversationHash,
    ]),
  )
}

// Main is not tested: a stream that is joined after main's first turn looks like a session that begins there.
describe('a stream that is joined late has no wrong identity of a subagent', () => {
  it.each([...recordings, ...earlierRecordings])('in Claude Code: $name', ({ stream }) => {
    expect(wrongIn(claudeSource, stream)).toEqual([])
  })

  it.each(opencode.recordings)('on the bus of OpenCode: $name', ({ events }) => {
    expect(wrongIn(opencodeSource, events)).toEqual([])
  })
})
