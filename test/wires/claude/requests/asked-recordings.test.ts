import { describe, expect, it } from 'vitest'
import { pendingRequests, sessionStatus } from '../../../../src/entries/index.ts'
import { compareSessions } from '../../../../src/entries/parity.ts'
import { checkJoin } from '../../../../src/entries/testing.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { depth, sampleOf } from '../../../depth.ts'
import { messagesIn, ofType, type Recording, recordings, replay, threadsOf } from '../../recordings.ts'
import { ClaudeOracle } from '../../status/claude-oracle.ts'
import { list, type Raw, raw, text } from '../../status/oracle.ts'
import { joinedSession } from '../join/history-at.ts'

/** The recordings as if a person had allowed every call that a rule has allowed, in main and in subagents. */
const asked = recordings.map(withRequests).filter(({ stream }) => stream.includes('"control_request"'))

function withRequests(recording: Recording): Recording {
  const { stream, disk } = recording
  const byPerson = (lines: string) => lines.replaceAll('"source":"config"', '"source":"user_temporary"')
  const subagents = disk.subagents.map((each) => ({ ...each, transcript: byPerson(each.transcript) }))
  return {
    ...recording,
    stream: withQuestions(byPerson(stream)),
    disk: { main: byPerson(disk.main), subagents },
  }
}

/** Puts a request behind the line of each call whose result has a decision. */
function withQuestions(stream: string): string {
  const lines = stream.split('\n').filter((line) => line !== '')
  const decided = new Set(
    lines
      .flatMap((line) => list(raw(JSON.parse(line)).tool_result_meta))
      .flatMap(({ id, permission_decision }) =>
        raw(permission_decision).source === 'user_temporary' ? [id] : [],
      ),
  )
  return lines
    .flatMap((line) => {
      const message = raw(JSON.parse(line))
      const calls = message.type === 'assistant' ? list(raw(message.message).content) : []
      return [line, ...calls.filter(({ id }) => decided.has(id)).map((call) => requestFor(call, message))]
    })
    .join('\n')
}

function requestFor({ id, name, input }: Raw, { agent_id }: Raw): string {
  const description = raw(input).description
  const request = { subtype: 'can_use_tool', tool_name: name, display_name: name, input, description }
  return JSON.stringify({
    ...{ type: 'control_request', request_id: `request of ${text(id)}` },
    request: { ...request, tool_use_id: id, agent_id },
  })
}

describe.each(asked.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
  const live = replay(recording.stream)
  const stored = replay(recording.disk)

  it('has the same answers on both sides', () => {
    expect(compareSessions(live.state, stored.state).differences).toEqual([])
    expect([...live.issues, ...live.reducerIssues, ...stored.issues]).toEqual([])
    const requests = threadsOf(live.state).flatMap((thread) => ofType(thread, 'request'))
    expect(requests.length).toBeGreaterThan(0)
    expect(pendingRequests(live.state)).toEqual([])
  })

  it('waits exactly while a request is open', () => {
    const oracle = new ClaudeOracle()
    let session = claudeSource.open()
    for (const message of messagesIn(recording.stream)) {
      session = claudeSource.read(session, [message]).session
      oracle.read(message)
      expect(sessionStatus(session.state) === 'waiting').toBe(oracle.isWaiting)
    }
  })

  it('may be joined', () => {
    const session = joinedSession(recording)
    checkJoin(claudeSource, {
      ...session,
      cuts: sampleOf([...session.live.keys()], depth({ few: 1, all: 6 })),
    })
  })
})
