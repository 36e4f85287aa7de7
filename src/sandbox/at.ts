/**
 * An entry of a list that is known to be there.
 *
 * @throws RangeError when it is not
 */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index]
  if (value === undefined) throw new RangeError(`There is no entry ${index}`)
  return value
}
