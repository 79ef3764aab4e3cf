import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asObject, asString, isObject } from '../../../src/core/json/values.ts'
import { checkJoin } from '../../../src/entries/testing.ts'
import { kimiSource } from '../../../src/wires/kimi/source.ts'
import { depth, sampleOf } from '../../depth.ts'
import { recordedForms } from '../../laws/recordings.ts'
import { messagesOf } from '../messages-in.ts'

const forms = [...recordedForms(join(import.meta.dirname, '../../../fixtures/kimi'))]

const sessions = forms
  .filter(({ form }) => form === 'events')
  .map(({ recording, raw }) => {
    const stored = forms.find((each) => each.recording === recording && each.form === 'store')?.raw ?? ''
    return { recording, live: messagesOf('kimi', raw), history: messagesOf('kimi', stored) }
  })

/** Returns the event of a message of the server, or the line of a file. */
function fieldsOf(message: unknown) {
  const { msg, ...line } = asObject(message)
  const { payload, ...others } = asObject(msg ?? line)
  return isObject(payload) ? payload : others
}

function timeOf(message: unknown): number {
  const { time, created_at } = fieldsOf(message)
  const { msg } = asObject(message)
  const sentAt = asString(asObject(msg).timestamp)
  const own = [time, created_at].find((each) => typeof each === 'number')
  return Number(own ?? (sentAt === undefined ? 0 : Date.parse(sentAt)))
}

/** Returns the lines that the files have when the server has sent the messages. A file is written in order. */
function storedUntil(history: readonly unknown[], live: readonly unknown[]): readonly unknown[] {
  const until = Math.max(0, ...live.map(timeOf))
  const times = new Map<unknown, number>()
  return history.filter((line) => {
    const { agentId } = asObject(line)
    const time = Math.max(times.get(agentId) ?? 0, timeOf(line))
    times.set(agentId, time)
    return time <= until
  })
}

/** Returns the numbers of messages before which no step has texts that no file has yet. */
function cutsOf(live: readonly unknown[]): readonly number[] {
  const open = new Set<unknown>()
  return live.flatMap((message, at) => {
    const isBetween = open.size === 0
    const { type, agentId } = fieldsOf(message)
    if (type === 'turn.step.started') open.add(agentId)
    if (/^(?:turn\.step\.(?:completed|interrupted)|tool\.call\.started)$/.test(String(type)))
      open.delete(agentId)
    return isBetween ? [at] : []
  })
}

/** Each cut joins the session in many ways. */
const CUTS = depth({ few: 2, all: 8 })

describe.each(sessions)('$recording', ({ live, history }) => {
  it('goes on from the files with the events of the server', () => {
    const historyAt = (cut: number) => storedUntil(history, live.slice(0, cut))
    const cuts = sampleOf(cutsOf(live), CUTS)
    expect(() => checkJoin(kimiSource, { history, live, historyAt, cuts })).not.toThrow()
  })
})
