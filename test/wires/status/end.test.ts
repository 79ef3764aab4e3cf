import { describe, expect, it } from 'vitest'
import { depth } from '../../depth.ts'
import { wrongEnds } from './end-law.ts'
import { sessions } from './recorded.ts'

describe.each(sessions)('$name', (input) => {
  it('has an ending and a turn that agree, wherever the input is cut', () => {
    expect(wrongEnds(input, depth({ few: 20, all: 3 }))).toEqual([])
  })
})
