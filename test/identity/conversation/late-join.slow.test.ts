import { describe, expect, it } from 'vitest'
import { identifySession } from '../../../src/identity/index.ts'
import type { SessionConversationState } from '../../../src/index.ts'
import * as opencode from '../../formats/opencode/recordings.ts'
import { earlierRecordings, recordings, replay } from '../../formats/recordings.ts'

const options = { agentTypeHash: 'type' }

/**
 * Returns the hashes of subagents that differ from the whole stream if it begins later. A resumed subagent has another call id then,
 * so it is not compared.
 */
function wrongIn(text: string, read: (text: string) => SessionConversationState): readonly string[] {
  const lines = text.split('\n')
  const right = hashesIn(read(text))
  return lines.flatMap((_, from) => {
    if (from === 0 || lines.length - from < 2) return []
    return [...hashesIn(read(lines.slice(from).join('\n')))].flatMap(([id, hash]) =>
      id !== 'main' && right.has(id) && hash !== undefined && hash !== right.get(id)
        ? [`${id} from line ${from}`]
        : [],
    )
  })
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
    expect(wrongIn(stream, (text) => replay(text).state)).toEqual([])
  })

  it.each(opencode.recordings)('on the bus of OpenCode: $name', ({ events }) => {
    expect(wrongIn(events, (text) => opencode.replay(text).state)).toEqual([])
  })
})
