/**
 * Returns the first number from 0 on that is not taken, if all lower ones are taken. It asks for few of them, because there may be thousands: blocks
 * without an id of their own are numbered by their place.
 */
export function freeNumber(isTaken: (number: number) => boolean): number {
  let free = 0
  let step = 1
  for (; isTaken(free + step - 1); step *= 2) free += step
  for (; step >= 1; step /= 2) if (isTaken(free + step - 1)) free += step
  return free
}
