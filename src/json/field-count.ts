/** Returns how many enumerable fields an object has, inherited ones too. It makes no list, unlike `Object.keys`. */
export function fieldCount(value: object): number {
  let count = 0
  for (const _ in value) count += 1
  return count
}
