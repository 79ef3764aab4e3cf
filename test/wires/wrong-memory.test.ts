import { describe, expect, it } from 'vitest'
import { allFormats } from '../../src/wires/all.ts'

const formats = allFormats().map(({ name, source }) => ({ name, source }))

describe.each(formats)('the source of $name', ({ name, source }) => {
  const wrong = [
    { what: 'a memory that went through plain JSON', memory: JSON.parse(JSON.stringify(source.initial)) },
    { what: 'what `save` returned', memory: source.save(source.initial) },
    { what: 'nothing', memory: undefined },
    { what: 'null', memory: null },
    ...formats
      .filter((other) => other.name !== name)
      .map((other) => ({ what: `a memory of ${other.name}`, memory: other.source.initial })),
  ]

  it.each(wrong)('refuses $what as its memory', ({ memory }) => {
    const refusal = new TypeError(
      'pass a memory that this source returned: `load` makes it from what `save` returned',
    )
    expect(() => source.translate(memory, {})).toThrow(refusal)
    expect(() => source.translateAll(memory, [])).toThrow(refusal)
    expect(() => source.begin?.(memory)).toThrow(refusal)
    expect(() => source.end(memory)).toThrow(refusal)
    expect(() => source.save(memory)).toThrow(refusal)
  })

  it('takes its own memory', () => {
    expect(() => source.translate(source.load(source.save(source.initial)), {})).not.toThrow()
  })
})
