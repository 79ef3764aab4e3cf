import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { expect, expectTypeOf, it } from 'vitest'
import { parseSessionEvent, type SessionEvent, sessionEventSchema } from '../../src/index.ts'

/** As a framework has it that knows nothing of events. */
const schema: StandardSchemaV1<SessionEvent, SessionEvent> = sessionEventSchema
const validate = async (value: unknown) => schema['~standard'].validate(value)

it('passes an event on as it is, with fields that are not known', async () => {
  const event = { type: 'block:delta', blockId: 'a', delta: 'x', own: { a: 1 } }
  const result = await validate(event)
  expect(result).toEqual({ value: event })
  expect(Object.values(result)).toContain(event)
})

it('says of any other value what is wrong and where, as the parser does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const parsed = parseSessionEvent(value)
      const { issues = [] } = await validate(value)
      expect(issues.map(({ path }) => path)).toEqual(parsed.ok ? [] : parsed.issues.map(({ path }) => path))
    }),
  )
})

it('names an unknown type, and the types that there are', async () => {
  const { issues } = await validate({ type: 'block:append' })
  expect(issues).toEqual([{ path: ['type'], message: expect.stringContaining('block:delta') }])
})

it('tells a framework the type of its input and of its output', () => {
  expectTypeOf<StandardSchemaV1.InferInput<typeof sessionEventSchema>>().toEqualTypeOf<SessionEvent>()
  expectTypeOf<StandardSchemaV1.InferOutput<typeof sessionEventSchema>>().toEqualTypeOf<SessionEvent>()
})
