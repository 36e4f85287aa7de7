/** Word lists for invented people, companies and conversations. */

export const firstNames: readonly string[] =
  'Mira Jonas Aiko Tomás Leila Björn Priya Oleksandr Zoë Mateo Ingrid Kwame Yuki Nadia Søren Amara Luca Hana Pavel Chloé Ravi Freya Omar Elif'.split(
    ' ',
  )

export const lastNames: readonly string[] =
  'Solberg Okafor Tanaka Núñez Haddad Lindqvist Raman Kovalenko Meyer Alvarez Dahl Mensah Sato Petrov Østergaard Diallo Rossi Kim Novák Dubois Iyer Nilsen Farouk Yılmaz'.split(
    ' ',
  )

export const titles: readonly string[] = [
  'Account Executive',
  'Sales Development Representative',
  'Customer Success Manager',
  'Solutions Engineer',
  'Sales Manager',
  'Regional Director',
]

export const guestTitles: readonly string[] = ['Head of Operations', 'Procurement Lead', 'CTO', 'Data Analyst', 'VP Finance']

export const customers: readonly string[] = [
  'Oakmere',
  'Brightwell Foods',
  'Fjordline',
  'Casa Lumière',
  'Nordhavn Shipping',
  'Tallgrass Energy',
  'Quill & Co',
  'Sunmeadow Clinics',
  'Vela Robotics',
  'Hartmann Möbel',
  'Pinecrest Schools',
  'Aster Bank',
]

export const purposes: readonly string[] = [
  'Intro',
  'Discovery',
  'Demo',
  'Pricing review',
  'Security questions',
  'Onboarding',
  'Renewal',
  'Quarterly review',
]

export const topics: readonly string[] = [
  'Pricing',
  'Next Steps',
  'Small Talk',
  'Integration',
  'Security',
  'Competition',
  'Roadmap',
  'Onboarding',
  'Call Setup',
]

export const sentences: readonly string[] = [
  'Thanks for joining today.',
  'What does the yearly plan cost?',
  'We would start with the team in Zürich.',
  'Could you send us the security documents?',
  'That is what we saw with other customers as well.',
  'Let me share my screen for a moment.',
  'How long did the rollout take?',
  'Our budget is fixed until the end of the quarter.',
  'I will write the next steps into the invitation.',
  'Does it work with the tools that we already have?',
  'We compared two other products last month.',
  'That makes sense, please go on.',
  'The reports are what my manager asks for every Monday.',
  'Who else should be part of the next meeting?',
  'We can extend the trial by two weeks.',
  'I have to check that with our legal team.',
]

export const keywords: readonly string[] = [
  'budget',
  'competitor',
  'discount',
  'contract',
  'security review',
  'integration',
  'timeline',
  'decision maker',
  'renewal',
  'onboarding',
  'pricing',
  'roadmap',
]
