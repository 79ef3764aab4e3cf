import { expect, it } from 'vitest'
import { depth } from '../depth.ts'
import { growingForms, readGrown } from '../growth/forms.ts'
import { countVisits } from '../visits.ts'

const [SHORT, LONG] = [1 << 16, depth({ few: 1 << 18, all: 1 << 19 })]
/** The counts are exact, so the limit has no room for a busy machine. */
const LIMIT = 1.3

// An OpenCode bus, Gemini's files and Cline's stream once took quadratic time, and all benches of short sessions were green.
it.each(growingForms.map((form) => [form.name, form] as const))(
  '%s: a byte of a long session costs as much as one of a short session',
  (_, form) => {
    const read = [SHORT, LONG].map((bytes) => {
      const messages = form.messagesOf(bytes)
      let blocks = 0
      const visits = countVisits(() => {
        blocks = readGrown(form, messages)
      })
      return { blocks, perByte: visits / bytes }
    })
    const [short, long] = read
    if (!short || !long) throw new RangeError('two lengths')
    // A form that does not grow would be linear, too.
    expect(long.blocks / short.blocks).toBeGreaterThan(LONG / SHORT / 2)
    expect(short.perByte).toBeGreaterThan(0)
    expect(long.perByte / short.perByte).toBeLessThan(LIMIT)
  },
)
