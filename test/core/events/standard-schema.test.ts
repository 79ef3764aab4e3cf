import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { expect, expectTypeOf, it } from 'vitest'
import { parseSessionEvent, type SessionEvent, sessionEventSchema } from '../../../src/entries/index.ts'

/** The schema as a framework sees it, without the type of events. */
const schema: StandardSchemaV1<SessionEvent, SessionEvent> = sessionEventSchema
const validate = async (value: unknown) => schema['~standard'].validate(value)

it('returns an event unchanged, with its unknown fields', async () => {
  const event = { type: 'block:delta', blockId: 'a', delta: 'x', own: { a: 1 } }
  const result = await validate(event)
  expect(result).toEqual({ value: event })
  expect(Object.values(result)).toContain(event)
})

it('reports the issues of the parser for any other value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const parsed = parseSessionEvent(value)
      const { issues = [] } = await validate(value)
      expect(issues.map(({ path }) => path)).toEqual(parsed.ok ? [] : parsed.issues.map(({ path }) => path))
    }),
  )
})

it('names the known types for an unknown type', async () => {
  const { issues } = await validate({ type: 'block:append' })
  expect(issues).toEqual([{ path: ['type'], message: expect.stringContaining('block:delta') }])
})

it('gives a framework the types of its input and its output', () => {
  expectTypeOf<StandardSchemaV1.InferInput<typeof sessionEventSchema>>().toEqualTypeOf<SessionEvent>()
  expectTypeOf<StandardSchemaV1.InferOutput<typeof sessionEventSchema>>().toEqualTypeOf<SessionEvent>()
})
