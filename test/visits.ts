/** The methods of lists that call a function for each item that they visit. */
const WITH_CALLBACK = [
  ...['find', 'findIndex', 'findLast', 'findLastIndex', 'some', 'every'],
  ...['filter', 'map', 'flatMap', 'forEach', 'reduce'],
]
/** The methods that copy a list or compare its items. */
const WHOLE = ['slice', 'concat', 'includes', 'indexOf']

type Method = (this: unknown, ...args: readonly unknown[]) => unknown
type Wrap = (method: Method, count: (visits: number) => void) => Method

const withCallback: Wrap = (method, count) =>
  function (callback, ...rest) {
    const counted: Method = (...args) => {
      count(1)
      return Reflect.apply(methodOf(callback), undefined, args)
    }
    return Reflect.apply(method, this, [counted, ...rest])
  }

const whole: Wrap = (method, count) =>
  function (...args) {
    count(Array.isArray(this) ? this.length : 0)
    return Reflect.apply(method, this, args)
  }

const single: Wrap = (method, count) =>
  function (...args) {
    count(1)
    return Reflect.apply(method, this, args)
  }

const iterator: Wrap = (method, count) =>
  function* () {
    const items = Object(Reflect.apply(method, this, []))
    for (let step = items.next(); !step.done; step = items.next()) {
      count(1)
      yield step.value
    }
  }

/**
 * Counts the items of lists, maps and sets that are visited or copied while the function runs, and the look-ups in maps. A count is the same in each
 * run, and a time is not. Loops over indexes are not counted.
 */
export function countVisits(run: () => unknown): number {
  let visits = 0
  const count = (more: number) => {
    visits += more
  }
  const restores = [
    ...WITH_CALLBACK.map((name) => replace(Array.prototype, name, withCallback, count)),
    ...WHOLE.map((name) => replace(Array.prototype, name, whole, count)),
    ...[Array, Map, Set].map(({ prototype }) => replace(prototype, Symbol.iterator, iterator, count)),
    ...['get', 'has'].map((name) => replace(Map.prototype, name, single, count)),
    ...['entries', 'keys', 'values'].map((name) => replace(Map.prototype, name, iterator, count)),
  ]
  try {
    run()
  } finally {
    for (let at = 0; at < restores.length; at += 1) restores[at]?.()
  }
  return visits
}

function replace(
  prototype: object,
  name: string | symbol,
  wrap: Wrap,
  count: (visits: number) => void,
): () => void {
  const method = methodOf(Reflect.get(prototype, name))
  const define = (value: Method) =>
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
  define(wrap(method, count))
  return () => define(method)
}

function methodOf(value: unknown): Method {
  if (isMethod(value)) return value
  throw new TypeError('no method')
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function'
}
