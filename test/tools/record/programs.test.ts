import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allPrograms } from '../../../src/programs/all.ts'
import { storageOf } from '../../../src/programs/storages.ts'
import { PROGRAMS_ALIKE, RECORDED_PROGRAMS } from '../../../tools/record/programs/all.ts'

it('records every program that stores sessions, but for those with the files of another one', () => {
  const recorded = new Set(RECORDED_PROGRAMS.map(({ name }) => name))
  const stored = allPrograms().flatMap(({ names: [name] }) => (storageOf(name) ? [name] : []))
  expect(stored.filter((name) => !recorded.has(name))).toEqual(Object.keys(PROGRAMS_ALIKE))
})

it('knows the format of each program that it records', () => {
  const versions = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../fixtures/versions.json'), 'utf8'),
  )
  expect(Object.keys(versions).sort()).toEqual(RECORDED_PROGRAMS.map(({ name }) => name).sort())
})
