import { expect, it } from 'vitest'
import { isThorough } from '../depth.ts'
import { agentForms } from '../growth/agents.ts'
import { readGrown } from '../growth/forms.ts'
import { countVisits } from '../visits.ts'

const [FEW, MANY] = isThorough ? [64, 384] : [24, 144]
/** The counts are exact, so the limit has no room for a busy machine. */
const LIMIT = 1.3

// Each agent once asked all others: those that run, those that wait for their calls, and those that have ended.
it.each(
  agentForms.flatMap((form) => {
    const orders = isThorough ? form.orders : form.orders.slice(0, 2).slice(-1)
    return orders.map((order) => [`${form.name}, ${order}`, form, order] as const)
  }),
)('%s: one of many agents costs as much as one of few', (_, form, order) => {
  const read = [FEW, MANY].map((agents) => {
    const messages = form.messagesOf(agents, order)
    let blocks = 0
    const visits = countVisits(() => {
      blocks = readGrown(form, messages)
    })
    return { blocks, perAgent: visits / agents }
  })
  const [few, many] = read
  if (!few || !many) throw new RangeError('two numbers of agents')
  // A form that does not grow would be linear, too.
  expect(many.blocks / few.blocks).toBeGreaterThan(MANY / FEW / 2)
  expect(many.perAgent / few.perAgent).toBeLessThan(LIMIT)
})
