import { describe, expect, it } from 'vitest'
import { checkSource } from '../../src/entries/testing.ts'
import { definedParrot, type ParrotContext, repeat, textOf } from '../checks/laws/parrot.ts'

/** Calls a function of the context as JavaScript does, where no compiler looks at the arguments. */
const called = (name: string, ...args: readonly unknown[]) =>
  definedParrot({
    translate(message, context) {
      repeat(message, context)
      if (textOf(message) !== undefined) call(context, name, args)
    },
  })

function call(context: ParrotContext, name: string, args: readonly unknown[]): void {
  const [of = name, method = of] = name.split('.')
  const target: object = method === name ? context : Reflect.get(context, of)
  Reflect.apply(Reflect.get(target, method), target, args)
}

// `turn.end('failed')` was a finished turn, without a word.
describe('a function of the context refuses a wrong argument', () => {
  const block = { id: 'b', type: 'assistant_text', status: 'complete', content: '' }
  const cases: readonly (readonly [name: string, ...args: unknown[]])[] = [
    ['turn.end', 'failed'],
    ['turn.end'],
    ['turn.end', { outcome: 'faild' }],
    ['turn.end', { result: 'failed' }],
    ['turn.end', { outcome: 'failed', error: new Error('boom') }],
    ['turn.answer', 'failed'],
    ['turn.start', { timestamp: '2026-11-30T10:00:00Z' }],
    ['turn.begin', 7],
    ['emit', 'session:idle'],
    ['emit'],
    ['emit', { type: 'block:upsert' }],
    ['emit', [{ type: 'session:idle' }]],
    ['upsert', block],
    ['upsert', { conversationId: 'main' }, block],
    ['upsert', 'main', [block]],
    ['updateFacts', 'parrot'],
    ['addMissingFacts', 'parrot'],
    ['nameSession', 'parrot'],
    ['reportUnknown', 'unknown-message'],
    ['finalizePending'],
    ['continueConversation'],
    ['endInput', true],
    ['endInput', { waits: true }],
    ['endInput', { unplaced: 'agent' }],
  ]

  it.each(cases.map(([name, ...args]) => ({ name, args })))('$name($args)', ({ name, args }) => {
    let error: unknown
    try {
      checkSource(called(name, ...args), [{ say: 'one' }])
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ name: 'LawError', code: 'throws' })
    expect(error).toHaveProperty('cause.name', 'TypeError')
    expect(error).toHaveProperty('cause.code', 'wrong-argument')
    expect(error).toHaveProperty('cause.message', expect.stringMatching(`^context.${name}: pass .`))
  })

  it('with the right form in its message', () => {
    expect(() => checkSource(called('turn.end', 'failed'), [{ say: 'one' }])).toThrow(
      /context\.turn\.end: pass an object with `outcome`.*`error`.*`timestamp`/,
    )
  })
})
