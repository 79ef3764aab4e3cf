import { expect, it } from 'vitest'
import { depth } from '../depth.ts'
import { growingForms, readGrown } from '../growth/forms.ts'
import { countVisits } from '../visits.ts'

const [SHORT, LONG] = [1 << 16, depth({ few: 1 << 18, all: 1 << 20 })]
/** The counts are exact, so the limit has no room for a busy machine. */
const LIMIT = 1.3

// An OpenCode bus, Gemini's files and Cline's stream once took quadratic time, and all benches of short sessions were green.
it.each(growingForms.map((make) => make()).map((form) => [form.name, form] as const))(
  '%s: a byte of a long session costs as much as one of a short session',
  (_, form) => {
    const perByte = [SHORT, LONG].map((bytes) => {
      const messages = form.messagesOf(bytes)
      return countVisits(() => readGrown(form, messages)) / bytes
    })
    const [short = 0, long = 0] = perByte
    expect(short).toBeGreaterThan(0)
    expect(long / short).toBeLessThan(LIMIT)
  },
)

it('makes long sessions: a form has the more blocks, the longer it is', () => {
  for (const form of growingForms.map((make) => make())) {
    const [few = 0, many = 0] = [SHORT, LONG].map((bytes) => readGrown(form, form.messagesOf(bytes)))
    expect([form.name, many / few > LONG / SHORT / 2]).toEqual([form.name, true])
  }
})
