/** Word lists for invented campaigns, ads and accounts. */

export const seasons: readonly string[] = ['Spring', 'Summer', 'Autumn', 'Winter', 'Back to School', 'Vårsalg', 'Été', '春の新生活']

export const goods: readonly string[] = [
  'Sneakers',
  'Backpacks',
  'Headphones',
  'Sunscreen',
  'Matcha',
  'Puzzles',
  'Desk Lamps',
  'Bike Lights',
]

export const crowds: readonly string[] = [
  'Students',
  'Runners',
  'Parents',
  'Gamers',
  'Commuters',
  'Home Cooks',
  'Lookalike 1%',
  'Retargeting',
]

export const slogans: readonly string[] = [
  'Made for your day',
  'Only this week 🎁',
  'See why everybody talks about it',
  'Leichter geht es nicht',
  'Ships in 24 hours, "free" over $50',
  '毎日をもっと軽く',
  'Try it for 30 days',
]

export const actions: readonly string[] = ['SHOP_NOW', 'LEARN_MORE', 'DOWNLOAD_NOW', 'SIGN_UP', 'VIEW_NOW']

export const brands: readonly string[] = ['Fernway', 'Lumo & Sons', 'Pocketfox', 'Studio Halm']

export const audienceKinds: readonly (readonly [type: string, calculation: string | null])[] = [
  ['Customer File Audience', 'EMAIL_SHA256'],
  ['Customer File Audience', 'PHONE_SHA256'],
  ['Website Traffic', null],
  ['Engagement Audience', null],
  ['Lookalike Audience', null],
  ['App Activity', 'IDFA_MD5'],
]
