/** Difficult words for searches: of all scripts, in several forms, and near misses of others. */
export const words = [
  ...[
    'renewal Renewal RENEWALS pricing pricng price plan Plan call calls weekly Sync synchronisation a I id 7 42 042 x1 café',
    'cafe CAFÉ cafe\u0301 Straße STRASSE ﬁne fine Ⅷ viii ² Привет привет приве\u0301т ΟΔΟΣ οδος οδοσ İstanbul istanbul',
    'ISTANBUL ıstanbul 東京 トウキョウ が か\u3099 한국 한국어 하나 하\u11ab국 \u1112\u1161\u11ab국어 ㅎㅏ 東京タワー 東京都 京都 京 タワー タワ ﾀﾜｰ か がくせい',
    'か\u3099くせい ひらがなと漢字 iPhone手机 手机3月 ３月 葛\u{e0100}城 ทำงาน ที่นี่ ต\u0e48\u0e38 กรุงเทพ2024 ๑๒ 北京北京 々 हिन्दी ह\u093f آب',
    'ا\u0653ب שָׁלוֹם Øresund oresund Łódź lodz Æon aeon œuvre Đorđe þing Eiður kısa kisa ǿre INV-1234 inv1234 inv1243',
    'abc12345 abc12354 versoin version agreement agreemnet agreemenst argeemnet ca abc cabcabca abcbcaca ≠abc \u0301abc',
    "❤\ufe0f ǅ ǆ 𝒳yz xyz 👍 👩‍👩‍👧 ok\u200d naïveté Kelvin Kelvin १२३ ẞ ß مرحبا a_b foo.bar e-mail o'neil Wi-Fi wifi S.A.P.",
    'sap C++ C# c++ c كِتَاب كتاب co\u200bop coop rock’n’roll rocknroll a/b.c-d abcd',
  ].flatMap((line) => line.split(' ')),
  'x'.repeat(260),
  `${'y'.repeat(253)}a`,
]
