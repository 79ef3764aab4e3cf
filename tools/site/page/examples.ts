import { asString, isObject } from '../../../src/core/json/values.ts'
import type { Files } from './memory-reader.ts'

/** A recorded session that the site has with it. */
export interface Example {
  /** The part of its address. */
  readonly name: string
  /** The name of the program for people. */
  readonly program: string
  /** What the session shows. */
  readonly note: string
  readonly files: Files
}

/** The build writes the examples into the page, because the page may load nothing. */
export const examples: readonly Example[] = parseExamples(
  document.getElementById('examples')?.textContent ?? '[]',
)

export function exampleNamed(name: string): Example | undefined {
  return examples.find((each) => each.name === name)
}

function parseExamples(json: string): readonly Example[] {
  const values: unknown = JSON.parse(json)
  return (Array.isArray(values) ? values : []).filter(isObject).map(({ name, program, note, files }) => ({
    name: asString(name) ?? '',
    program: asString(program) ?? '',
    note: asString(note) ?? '',
    files: new Map(Object.entries(isObject(files) ? files : {}).map(([path, text]) => [path, String(text)])),
  }))
}
