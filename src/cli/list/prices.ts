import { readFile } from 'node:fs/promises'
import { asFiniteNumber, asObject, isObject, type JsonObject } from '../../core/json/values.ts'
import type { Price } from '../../core/selectors/cost.ts'
import { wrapReadError } from '../../node/files/read-error.ts'
import { InputError } from '../terminal/terminal.ts'

/** Reads LiteLLM's list of prices, and returns the prices of a model. Throws an `InputError` for another file. */
export async function readPrices(path: string): Promise<(model: string) => Price | undefined> {
  const list = parse(await wrapReadError(readFile(path, 'utf8'), path), path)
  const byName = new Map<string, Price>()
  for (const [name, facts] of Object.entries(list)) {
    const price = priceOf(asObject(facts))
    if (!price) continue
    byName.set(name, price)
    // `<provider>/<model>` is a model of a provider.
    const model = name.slice(name.lastIndexOf('/') + 1)
    if (!byName.has(model)) byName.set(model, price)
  }
  if (byName.size === 0) throw new InputError(`${path}: no prices in it: pass LiteLLM's list`)
  return (model) => byName.get(model) ?? byName.get(model.replace(/-\d{8}$/, ''))
}

function parse(text: string, path: string): JsonObject {
  try {
    const list: unknown = JSON.parse(text)
    if (isObject(list)) return list
  } catch {
    // The error below says it.
  }
  throw new InputError(`${path}: no JSON object: pass LiteLLM's list of prices`)
}

const MILLION = 1_000_000

/** The list has prices per token. A model without a price for its cache bills those tokens as input. */
function priceOf(facts: JsonObject): Price | undefined {
  const perMillion = (field: string) => {
    const price = asFiniteNumber(facts[field])
    return price === undefined ? undefined : price * MILLION
  }
  const input = perMillion('input_cost_per_token')
  const output = perMillion('output_cost_per_token')
  if (input === undefined || output === undefined) return undefined
  const cacheWrite5m = perMillion('cache_creation_input_token_cost') ?? input
  return {
    ...{ input, output, cacheWrite5m },
    cacheRead: perMillion('cache_read_input_token_cost') ?? input,
    cacheWrite1h: perMillion('cache_creation_input_token_cost_above_1hr') ?? cacheWrite5m,
  }
}

/** Returns a line of comma-separated values (RFC 4180). An absent value is empty. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : `${value}`
  // A spreadsheet runs a text that begins like a formula.
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
