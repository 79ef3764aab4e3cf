import { describe, it } from 'vitest'
import { isObject } from '../../../../src/core/json/values.ts'
import { checkJoin } from '../../../../src/entries/testing.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { allRecordings } from '../../recordings.ts'
import { joinedSession } from './history-at.ts'

const all = allRecordings

/** A cut takes longer in a long stream. The forms that are made from a recording have fewer cuts. */
const MOST_CUTS = 4
const MOST_CUTS_OF_FORM = 1

const everyCut = (count: number, most: number) => {
  const step = Math.ceil(count / most)
  return Array.from({ length: Math.floor(count / step) + 1 }, (_, at) => at * step)
}

/** The forms of a stream: as it is, without partial messages, and as before 2.1.330, when no event named its message. */
const FORMS: Readonly<Record<string, (message: unknown) => readonly unknown[]>> = {
  'as recorded': (message) => [message],
  'without partial messages': (message) =>
    isObject(message) && message.type === 'stream_event' ? [] : [message],
  'without the names of messages': (message) => {
    if (!isObject(message)) return [message]
    const { api_message_id, ...others } = message
    return [others]
  },
}

describe.each(Object.entries(FORMS))('a stream %s', (form, formOf) => {
  const most = form === 'as recorded' ? MOST_CUTS : MOST_CUTS_OF_FORM

  it.each(all.map((recording) => [recording.name, recording] as const))(
    'joins at many messages: %s',
    (_, recording) => {
      const stream = joinedSession(recording)
        .live.flatMap(formOf)
        .map((message) => JSON.stringify(message))
        .join('\n')
      const session = joinedSession({ ...recording, stream })
      checkJoin(claudeSource, { ...session, cuts: everyCut(session.live.length, most) })
    },
  )
})
