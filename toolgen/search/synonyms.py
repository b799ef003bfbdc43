"""Synonyms: words that people use interchangeably in queries for tools, and words that suggest those of tools.

General ones, not those of a domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from toolgen.search.words import stem

_GROUPS: Final[tuple[str, ...]] = (
    # verbs
    "analyze analyse analysis evaluate assess examine inspect",
    "apply submit request",
    "approve accept confirm",
    "arrange plan schedule organize appointment",
    "begin start launch initiate open",
    "book reserve reservation booking",
    "buy purchase order shop shopping",
    "calculate compute estimate calculation",
    "cancel stop end terminate abort",
    "check verify validate test inspect examine",
    "choose select pick",
    "collect gather aggregate",
    "combine merge join",
    "compare comparison versus vs difference",
    "connect link integrate pair connection integration",
    "convert transform translate conversion",
    "copy duplicate clone",
    "create make generate add new build",
    "delete remove erase wipe clear drop rid discard",
    "describe explain",
    "download fetch retrieve get read load",
    "find search locate lookup look discover query",
    "fix repair mend solve resolve",
    "hide conceal mask",
    "improve enhance optimize optimise boost improvement",
    "inquire ask query question",
    "install setup configure set configuration settings",
    "list show display view see",
    "list exist available",
    "lower reduce decrease cut",
    "log print output stdout stderr console",
    "monitor track watch follow observe",
    "move transfer relocate",
    "notify alert warn notification warning reminder remind",
    "pay payment transaction",
    "predict forecast prediction projection future",
    "protect secure security safe safety",
    "raise increase grow",
    "recommend suggest advise recommendation suggestion advice tip idea",
    "register enroll signup subscribe",
    "rename call label",
    "save store keep backup archive",
    "sell sale",
    "send deliver dispatch email message",
    "share post publish",
    "sort order rank classify categorize organize arrange",
    "summarize summary overview brief",
    "teach educate instruct learn study education learning course lesson",
    "undo revert rollback restore recover reverse",
    "swap exchange switch trade replace",
    "scale resize replica instance",
    "postpone delay reschedule defer",
    "refund reimburse repay reimbursement",
    "reply answer respond response",
    "enable activate",
    "disable deactivate",
    "block ban",
    "update edit modify change adjust alter",
    "upload import attach",
    "write compose draft text",
    # nouns and adjectives
    "abroad overseas foreign international",
    "activity attraction sightseeing",
    "address location place position",
    "advert ad advertisement advertise advertising promotion promote",
    "advert advertising campaign",
    "agriculture crop farm farming",
    "alias pseudonym nickname",
    "amount quantity number count",
    "angry upset unhappy dissatisfied complaint complain",
    "animal wildlife species",
    "appliance device gadget equipment machine",
    "art artwork painting drawing",
    "article text story",
    "attend join participate participation",
    "audience viewer follower subscriber",
    "autumn fall season",
    "baby infant toddler",
    "baggage luggage suitcase bag",
    "band group team",
    "beautiful scenic pretty",
    "bicycle bike cycling",
    "bill charge",
    "boat ship vessel",
    "boss manager supervisor",
    "brightness dim bright",
    "broken damaged faulty failure fault",
    "bug error defect fault issue problem",
    "bus train transit transport transportation",
    "calendar schedule date",
    "candidate applicant",
    "car vehicle automobile auto",
    "chat conversation dialogue talk",
    "cheap affordable budget inexpensive deal discount",
    "city town",
    "client customer buyer",
    "clothes clothing wear outfit dress fashion",
    "cloud server",
    "color colour",
    "comment feedback sentiment",
    "company business firm enterprise corporation organization",
    "competitor rival",
    "computer pc laptop",
    "conference meeting call",
    "consultant expert advisor professional specialist consultation",
    "contract agreement",
    "copy plagiarism original",
    "cost price pricing fee charge expense",
    "country nation",
    "crime criminal theft",
    "currency exchange money",
    "danger hazard risk threat",
    "data gigabyte megabyte gb mb",
    "dead death die mortality",
    "debt loan",
    "delivery shipping ship shipment courier",
    "depart departure leave",
    "diet nutrition",
    "disease illness sickness",
    "doctor physician",
    "document file paper",
    "drink beverage",
    "earn income revenue salary wage pay",
    "earthquake quake seismic",
    "email mail",
    "emergency crisis disaster",
    "employee staff worker personnel",
    "encrypt encryption",
    "energy electricity power",
    "event concert festival party",
    "exercise workout fitness training",
    "exhibition exhibit show",
    "fake false fraud counterfeit",
    "fast quick speed rapid",
    "fat weight",
    "feedback review rating comment opinion",
    "film movie cinema",
    "flight plane airline",
    "flower plant garden",
    "folder directory",
    "forest woodland",
    "fuel gas petrol",
    "game gaming play",
    "gift present",
    "goal target objective milestone",
    "goods product item merchandise",
    "graph chart plot visualize visualization",
    "green eco environmental sustainable sustainability",
    "guide tour visit",
    "gym fitness",
    "happen event incident",
    "happy mood emotion satisfaction satisfied",
    "headline news",
    "health medical",
    "heat temperature warm hot",
    "history historical historic past",
    "holiday vacation festival",
    "home house property residence",
    "hotel accommodation lodging stay",
    "image imagery picture",
    "image picture photo photograph",
    "inbox email",
    "insect bug pest",
    "instruction manual guide",
    "insurance coverage",
    "interview recruitment hire hiring recruit",
    "invest investment investor",
    "invoice bill receipt",
    "irrigate irrigation water",
    "issue ticket",
    "job employment career work",
    "kid child children toddler",
    "lamp light lighting",
    "language translate translation",
    "law legal regulation rule",
    "lawyer attorney legal",
    "lesson class",
    "loan mortgage credit",
    "login log sign authenticate signin",
    "malicious malware virus",
    "map geography geographic",
    "meal food dish recipe cook",
    "medicine drug medication",
    "meeting conference",
    "message text sms chat",
    "mistake error",
    "money budget",
    "money finance financial",
    "money fund cash",
    "museum gallery",
    "music song track",
    "near nearby close around local",
    "negative positive sentiment",
    "neighborhood neighbourhood district area region",
    "noise sound audio acoustic",
    "nurse doctor",
    "offer discount promotion deal coupon",
    "oil petroleum",
    "old historical ancient past",
    "opponent competitor",
    "package parcel",
    "pain injury",
    "park recreation",
    "password credential",
    "people population person",
    "permission permit license access",
    "phone mobile smartphone telephone",
    "plague pandemic epidemic outbreak",
    "plane aircraft aviation",
    "poem poetry verse",
    "police law",
    "politics political government policy",
    "pollution pollutant contamination",
    "popular trending trend top",
    "pull merge",
    "questionnaire survey poll",
    "quiet silent",
    "quote cite citation",
    "racism discrimination bias",
    "rain precipitation",
    "rank rating",
    "recent latest new current modern",
    "refuge shelter",
    "rent lease tenant rental",
    "repo repository",
    "restaurant dining dinner",
    "route road directions navigation path",
    "rubbish trash garbage waste",
    "salary payroll compensation",
    "satellite space orbit",
    "scam fraud",
    "school university college",
    "scientist researcher research",
    "sea ocean marine",
    "shoe footwear",
    "shop store retail",
    "shot injection vaccine",
    "sick ill illness patient",
    "skin dermatology",
    "sleep rest",
    "smell odor",
    "soil ground",
    "spend expense expenditure",
    "sport sports athletic",
    "star rating",
    "statistics stats metrics",
    "stock share equity",
    "student pupil",
    "subtitle caption",
    "supper dinner",
    "symptom diagnosis diagnose",
    "task todo",
    "tax taxation",
    "teacher educator instructor",
    "team group",
    "teenager adolescent youth young",
    "timetable schedule",
    "tooth dental dentist",
    "trade import export",
    "train rail railway",
    "trip travel journey vacation holiday tour",
    "unemployment job labor labour",
    "universe space astronomy",
    "user account profile member",
    "vaccine vaccination immunization",
    "video clip movie",
    "video streaming",
    "war military conflict battle",
    "weather forecast temperature climate rain",
    "web website site internet online",
    "wedding marriage",
    "wind storm weather",
    "worker labor",
    "workplace office",
)


_SUGGESTED: Final = """
    academic: college degree grades scholarship semester thesis; accessibility: disabled ramp wheelchair; accessory:
    jewelry; accident: crash; accommodation: hostel nights room; account: bank deposit username; accounting:
    bookkeeping; acquisition: merger; actor: actress; address: ip; advertising: banner flyer marketing slogan; advice:
    counsel counselor; aerial: drone; agriculture: farmer; air: atmosphere smog; aircraft: helicopter; airport: flights
    runway; alarm: burglar siren wake; alert: alarm; allergies: intolerant sneeze; allergy: allergic; allocation:
    distribute divide split; analyze: dig; ancient: dynasty pharaoh roman; animal: bear bird cat cow dog elephant lion
    livestock tiger vet wolf; anomaly: odd outlier strange suspicious weird; anxiety: anxious stress worried; apartment:
    condo flat; api: endpoint; appliance: oven; application: app apply software; appointment: slot; approve: okay;
    archaeological: archaeologist archaeology pottery relic ruins; architecture: architect baroque blueprint building
    gothic; arid: desert; art: baroque gallery gothic tattoo; article: magazine newspaper paper; artifact: pottery
    relic; artist: musician painter singer; assessment: exam; assign: delegate; assignment: homework; astronomy:
    asteroid comet constellation eclipse galaxy meteor moon planet telescope; atmosphere: ozone; attack: hacker;
    attendance: absent turnout; attendee: guest; attraction: landmark sights; audio: earphone headphone hear listen
    podcast radio recording speaker voice volume; audit: auditor; augmented: ar; authentication: biometric password
    token; author: writer; automation: automatic robot; autonomous: autopilot driverless; aviation: pilot; background:
    wallpaper; bakery: bread; bandwidth: throughput; bar: nightlife pub; beauty: cosmetics hair haircut hairdresser
    makeup salon skincare; behavior: behave habit; beverage: beer brew cocktail coffee tea wine; bidding: auction;
    biological: bacteria biologist biology evolution microbe; biometric: fingerprint; boat: ferry sail; body: tattoo;
    book: author bookshop library literature read; booking: ticket; brand: logo trademark; breach: hacked leak; bread:
    bakery; brightness: dark darker; broadcast: airing radio; brochure: flyer leaflet; budget: frugal overspend spend
    thrifty; building: architecture brick cement concrete floor roof skyscraper wall; business: entrepreneur startup;
    cab: taxi; cafe: coffee; calendar: agenda diary; call: dial ring; camera: cctv dashcam; campaign: marketing;
    camping: tent; cancel: unsubscribe; cancellation: refundable; cancer: biopsy chemo chemotherapy; candidate: resume;
    capture: record shoot snapshot; car: dealer dealership drive ev garage mechanic sedan suv; carbohydrate: carbs;
    carbon: emission footprint greenhouse; cardiac: heart; cardiovascular: heart stroke; care: caregiver caretaker
    nursing; cart: basket checkout trolley; case: defendant plaintiff ruling verdict; cast: actor; cat: kitten;
    celebration: anniversary birthday party; ceremony: funeral ritual; certificate: ssl; certification: badge diploma;
    charging: charger; charity: donate; chart: curve diagram; chemical: acid catalyst chemist chemistry molecule
    reaction; child: daughter son; children: toy; city: council downtown mayor skyline; claim: insurance; classical:
    orchestra; classification: identify; classify: label; classroom: class; cleaning: housekeeping tidy vacuum; climate:
    arctic drought glacier iceberg warming; clinic: hospital; clothing: coat costume jacket jeans shirt skirt trousers;
    coach: trainer; coastal: beach island seaside; code: script; coffee: brew; cognitive: alzheimer brain dementia;
    cold: chilly freezing; collaboration: cooperate partner team; color: hue paint shade; comedy: funny; community:
    neighbour volunteer; compensation: bonus; competence: skill; competition: championship contest tournament;
    compliance: audit comply obey; concern: worried; concert: gig; confidential: privacy; congestion: jam traffic;
    connect: hook plug; connection: offline; connectivity: network; conservation: endangered; construction: brick
    building cement concrete crane; consumer: buyers shopper; contact: friend; content: blogger; contract: clause;
    conversation: assistant chatbot; cooking: boil chef fry grill kitchen oven pot roast stove utensil; cooling: aircon;
    coordinates: position; copy: mirror; coral: reef; correlation: relate relationship; cosmetics: makeup; coupon:
    voucher; course: class curriculum lecture semester syllabus; court: judge ruling verdict; crawl: scrape; credit:
    card; crime: robbery suspect; criminal: jail prison; crop: corn fertilizer harvest pesticide rice vegetable wheat;
    cryptocurrency: bitcoin crypto; cuisine: noodles; culinary: chef cuisine; cultural: folklore legend myth mythology;
    currency: coin dollars euros pounds yen; curriculum: syllabus; custom: tailored; customer: prospect shopper;
    cycling: ride; dairy: butter cheese lactose milk; dance: ballet; data: database dataset outlier spreadsheet;
    database: db query sql; date: deadline tomorrow; deadline: due; deal: bargain; debt: bankrupt owe; deep: depth;
    degree: diploma; delete: dump scrap; delivery: parcel postman takeaway takeout; demographic: census gender
    population; deployment: deploy release rollout; design: architecture blueprint decorate layout logo prototype sketch
    wireframe; dessert: cake; detect: identify notice spot; detection: anomaly recognize; developer: programmer; device:
    iot router smarthome wearable; diabetes: sugar; diet: fasting keto paleo slim; dietary: vegan vegetarian; digest:
    hash; direction: north; disaster: flood hurricane tornado wildfire; discount: bargain cheaper voucher; disease:
    contagious infection; dish: menu; display: screen; dispute: argument lawsuit quarrel sue; distance: far kilometers
    mileage miles; division: divide; docker: container; document: letter pdf; dog: puppy; domain: dns; donation:
    charity; dosage: dose; download: grab; drawing: sketch; drink: cocktail thirsty; drinking: alcohol; driving:
    autonomous driver; drug: pharmacy; due: deadline; duration: hours long minutes; dynasty: emperor king; earnings:
    profit; economic: economy gdp inflation poor poverty recession; ecosystem: biodiversity habitat; editing: proofread;
    education: curriculum literacy; efficiency: insulation performance; egypt: pharaoh; elderly: grandfather grandma
    grandmother grandpa; election: vote voter; electrical: electrician voltage; elevation: altitude hill slope terrain;
    eligibility: qualify; email: newsletter subscribe; emergency: ambulance evacuate fire police rescue shelter;
    emission: carbon greenhouse; emotion: feel sad; employee: colleague coworker crew workforce; encryption: cipher
    scramble secret unreadable; endangered: extinct; endocrine: hormone; endpoint: api; energy: grid hydrogen insulation
    kilowatt nuclear solar turbine watt; engagement: interact involvement likes; entrepreneur: startup; entry: journal;
    environment: climate; environmental: ecosystem footprint; episode: podcast; equation: formula; equipment: tractor;
    error: crash debug; estate: apartment inherit realtor realty; estimate: approximately ballpark guess roughly;
    ethical: moral philosophy; eur: euros; event: birthday carnival celebration invitation parade venue wedding;
    evidence: forensic testimony witness; excel: spreadsheet; execute: run; exercise: cardio gym jog squat stretch yoga;
    exhibition: curator gallery museum; expense: overspend; expiry: expire; extension: plugin; extract: parse scrape;
    fabric: cloth cotton; facial: face; failure: blackout crash outage; family: brother custody dad daughter divorce mom
    mum parent relative sister son; farm: barn farmer livestock tractor; fashion: costume; father: dad; fatigue: tired;
    feedback: complaint survey; festival: carnival christmas diwali easter firework parade ramadan; fetch: grab;
    fiction: stories; file: csv; film: director; filter: narrow sift; financial: accounting banking bankrupt profit;
    find: spot; fire: wildfire; fitness: weight yoga; flavor: taste tasty; flight: airfare airport fly layover pilot;
    flower: bloom blossom; folklore: legend myth mythology; food: cuisine delicious grocery hungry pizza snack tasty
    vegetable; football: soccer; forecast: expect foresee; forest: jungle rainforest tree; format: json xml yaml;
    formula: equation; fossil: dinosaur; fracture: bone; fragrance: perfume scent; fraud: cheat launder phishing
    suspicious; frequency: often; frost: freezing; fruit: apple banana; fuel: hydrogen mileage; fund: donation; fungi:
    mushroom; furniture: couch sofa; game: console match multiplayer player; garden: lawn weed; gbp: pounds; generate:
    produce; genetic: dna gene genome hereditary inherit; genome: dna gene; genre: hiphop horror jazz pop rock romance
    romcom thriller; geometric: geometry; glucose: diabetes sugar; gluten: bread wheat; government: council mayor
    minister nation; grade: marks; grammar: proofread spell; grocery: supermarket; group: community segment; guarantee:
    warranty; guest: attendee invite; guide: tutorial; guidelines: rules; habit: habitual; harassment: bully; health:
    bmi cholesterol ill lifestyle obese overweight unwell wellbeing wellness; healthcare: hospital; hearing: deaf ear;
    heart: cardiac cholesterol heartbeat pulse; heat: heatwave; heating: thermostat; height: elevation high tall;
    heritage: castle ruins; hiking: trek walk; historical: castle war; history: medieval; holiday: christmas diwali
    easter ramadan; home: apartment bathroom floor furniture kitchen mansion mortgage renovation roof smarthome villa
    wall; homework: assignment; hospital: clinic ward; host: server; hotel: inn motel resort; housing: homeless
    roommate; humor: comedy funny joke; hvac: aircon heating; hydration: thirsty; ice: arctic glacier iceberg; identify:
    detect recognize spot; identity: passport; image: blur blurry crop pixel resize wallpaper; imaging: microscope mri
    radiology xray; immigration: migrant refugee visa; impact: affect aftermath consequence effect influence shape;
    incident: accident breach; income: poor poverty; indoor: inside; infection: virus; influencer: blogger;
    infrastructure: bridge dam pipe sewer; injury: bandage hurt knee wound; innovation: invention inventor; insect: bee
    butterfly; instrument: drum flute guitar piano violin; integration: hook plug; intellectual: copyright patent
    trademark; interest: loan; interface: button frontend ui; interior: furniture; intrusion: attack hack hacker
    intruder; inventory: shelf stock stockroom warehouse; investment: bonds portfolio; iot: sensors; italian: pasta
    pizza; japanese: sushi; jewellery: jewelry; jewelry: diamond jewel jewellery ring; job: hire resume vacancy; jog:
    run; joint: knee; jpy: yen; judge: court; justice: jail prison; kilograms: kilos; kilometers: distance; lab:
    laboratory; label: tag; labor: strike union; laboratory: experiment lab; language: accent alphabet bilingual chinese
    deaf dialect english french german grammar interpreter japanese spanish; large: big huge; latency: lag slow;
    latitude: coordinates; launch: rocket; laundry: washer; law: illegal legislation; lawyer: solicitor; layout: design;
    lead: prospect; leader: president; leadership: boss leader; learning: tutorial; leave: absence; legal: contract
    court custody defendant divorce evict evidence illegal inherit judge lawsuit plaintiff solicitor sue verdict;
    legislation: law; length: long; light: bulb; likelihood: chance; link: url; literary: literature poem verse;
    livestock: cow; loan: borrow lend; location: gps nearest venue whereabouts; log: journal record; logistics: cargo
    freight shipment supply; longitude: coordinates; loss: slimming; loyalty: membership; lunar: moon; luxury: expensive
    fancy posh; mail: postman; maintenance: servicing upkeep; malware: ransomware trojan; manufacturing: assembly
    factory production; map: terrain; marine: coral dolphin fish reef shark whale; marketing: brand influencer;
    material: brick cement concrete fabric leather plastic steel; maternal: pregnancy; mathematical: algebra calculus
    derivative equation integral maths matrix proof theorem vector; meal: breakfast dinner hungry lunch; mean: average;
    meaning: define definition; measure: gauge; meat: beef chicken pork; media: journalist press; medical: blood clinic
    hospital; medication: dose pharmacy pill prescription; medieval: knight; meditation: calm mindfulness relax; member:
    membership; memo: notes; memory: alzheimer dementia; mental: depressed mind psychologist psychology stressed
    therapist therapy; merge: fuse; message: emoji inbox voicemail; metal: gold iron steel; method: approach tactic;
    metro: subway; migration: migrant refugee; miles: distance; military: army soldier; mobile: roaming; mobility:
    crutch limp prosthetic scooter; model: 3d render simulation; modify: amend revise tweak; molecular: molecule
    protein; money: bucks launder savings; monitor: oversee; monitoring: sensor; monument: landmarks statue; mood: feel
    sad; mother: mom mum; motorcycle: motorbike; mountain: climb; movie: actor actress director horror netflix romcom
    thriller; multiplication: multiply; museum: artifact curator exhibit; music: album choir chord concert drum flute
    gig guitar hiphop jazz listen melody musician note opera orchestra piano playlist pop rock singer tune violin;
    narrative: story tale; nearby: closest nearest; negative: angry hate; negotiation: haggle; neighbor: neighbour;
    neighborhood: suburb; network: bandwidth fiber firewall graph internet ip packet port proxy router signal vpn wifi;
    neural: brain; news: journalist newspaper press; nightlife: bar club; node: cluster; noise: loud; notification:
    nudge ping; nut: almond peanut; nutrition: apple banana calorie carbs fruit protein sugar vitamins; observation:
    telescope; ocean: coral dolphin shark tide wave; operation: surgery; optimal: best; optimize: fastest shortest tune;
    organize: tidy; outdoor: camping outside; package: library; packing: luggage suitcase; pain: ache headache hurt;
    painting: brush canvas landscape painter portrait; pandemic: covid; paraphrase: reword rewrite; parent: dad mom mum;
    parking: garage; parser: parse; participant: attendee; partner: husband spouse wife; party: celebration; password:
    passphrase pin; patent: invention inventor; pattern: habit regex trend; pay: settle; payment: card cash checkout
    settle wallet; payroll: paycheck; percentage: percent ratio; performance: appraisal faster slow speed theater
    throughput; permission: allow; personalized: tailor; pest: pesticide; pet: cat dog kitten puppy vet veterinarian;
    philosophy: philosopher; phone: ringtone; photo: camera portrait selfie shoot snapshot; photography: camera;
    physics: magnet particle quantum relativity; plan: itinerary; planning: zoning; plant: seed sow tree vegan
    vegetation; play: theater; plot: curve; plumbing: plumber; poetry: poet rhyme; policy: insurance legislation rules;
    political: election protest; pollution: dirty smog; pool: swim; population: census; port: harbor harbour; portfolio:
    holding invest; positive: happy praise; post: tweet; power: blackout grid kilowatt outage watt; precipitation: hail
    sleet snow umbrella; prediction: expect foresee guess likely; pregnancy: pregnant; prehistoric: cave dinosaur
    fossil; premium: luxury; preschool: kindergarten toddler; presentation: slides slideshow speech; price: airfare
    cheaper cheapest dollars valuation worth; priority: important urgent; probability: chance likely odds; production:
    factory manufacture produce; professional: career; profile: avatar; profit: earnings loss; program: loyalty;
    programming: code developer programmer; promotion: marketing; pronunciation: accent pronounce; property: apartment
    condo copyright landlord mansion mortgage patent realtor realty tenant villa; protection: privacy; protein: meat;
    psychological: psychologist psychology; public: citizen; publication: magazine; purchase: bought; quantum: atom;
    question: quiz; quiz: trivia; rain: drizzle umbrella; reading: literacy reader; reality: headset vr; reboot:
    restart; recipe: bake ingredient; recognition: handwriting identify recognize; recommendation: best; record: rows;
    recovery: heal recover rehab; refrigerator: freezer fridge; regulation: compliance comply; regulatory: compliance
    regulator; rehabilitation: crutch limp paralysis paralyzed physio physiotherapy recover rehab; reject: decline
    refuse; related: alike similar; relationship: dating; relaxation: calm massage sauna spa; religious: bible church
    faith god monk mosque pray prayer quran religion ritual temple; reminder: forget forgot remember; rental: apartment
    landlord; repair: broken electrician garage handyman leaking mechanic plumber; report: writeup; repository: commit;
    research: experiment paper thesis; reset: forgot; residential: housing suburb; resolution: pixel; respiratory:
    asthma breathe lung; restart: reboot; restaurant: cuisine hungry menu michelin takeaway takeout waiter; resume: cv;
    retention: dropout; retirement: pension; revenue: profit sales turnover; review: appraisal; reward: bonus loyalty;
    ride: carpool rideshare taxi uber; risk: likely risky; river: lake; road: highway pothole street toll traffic; room:
    bathroom bedroom kitchen; route: detour fastest shortcut shortest; royal: king queen; rule: allow permit; running:
    jog marathon; rural: countryside town village; safety: crime dangerous fire hazard helmet seatbelt; salary: paycheck
    payday raise; sale: sold; sales: dealer dealership turnover; sanitation: hygiene; saturday: weekend; savings: frugal
    thrifty; scenery: landscape; schedule: agenda diary itinerary roster rota routine slot; science: physics scientific;
    scientific: science; score: grade marks; scrape: crawl; sculpture: sculptor statue; seafood: fish; search: hunt
    keyword seek; security: breach burglar firewall hacked hacker intruder lock phishing ssl thief vpn vulnerability;
    segment: divide split; senior: elderly grandfather grandma grandmother grandpa; sensor: iot; sentiment: feel
    opinions; sequence: genome; series: episode; server: backend hosting website; service: carpenter electrician
    handyman plumber waiter; session: cookie logout; sharpness: blur blurry; shift: roster rota; ship: cruise; shipment:
    cargo freight; shipping: parcel; shopping: cart grocery; show: episode series television; sign: deaf signature;
    signal: antenna; signature: sign; significance: meaning symbolize; silence: mute; similarity: alike; simulation:
    pretend; size: big huge; sketch: drawing; skin: skincare; sleep: bed insomnia jetlag nap snore tired; small: tiny;
    smartwatch: wearable; snow: ski; soccer: football; social: community facebook followers friends hashtag homeless
    inequality influencer instagram likes loneliness lonely meme protest selfie tweet; sodium: salt; software:
    developer; soil: compost fertilizer; solar: sun sunshine; song: lyrics playlist tune; sound: hear volume; space:
    alien astronaut cosmos extraterrestrial galaxy mars planet rocket; spam: junk unwanted; species: bear bee
    biodiversity bird butterfly elephant endangered evolution extinct lion tiger wolf; speech: dictate speak spoken
    transcribe voice; speed: faster; spelling: typo; sports: basketball championship cricket football golf league soccer
    tennis; spouse: husband wife; spreadsheet: excel; sql: database query; star: constellation; start: kick; station:
    platform; statistical: probability; stay: nights; stock: broker inventory trading; stop: halt; storage: warehouse;
    store: bookshop supermarket; storm: hurricane lightning thunder tornado; story: tale; strategy: approach tactic;
    stream: broadcast; streaming: buffering netflix; strength: muscle; stress: anxious burnout; structure: bridge;
    student: classmate dropout; style: fashion outfit; subscription: membership newsletter renew subscribe unsubscribe;
    subway: metro; sum: total; summarize: condense digest gist nutshell shorten; summary: condense digest gist nutshell;
    sun: dawn solar sunrise sunset; sunday: weekend; supervise: oversee; supplier: vendor; supply: logistics supplier;
    surgery: surgeon; surgical: surgery; surveillance: camera cctv spy; sweet: dessert; symbolism: meaning; symptom:
    cough fever headache; sync: synchronize; synchronization: mirror; table: csv excel rows; tag: metadata; task:
    assignment chores; taste: spicy; tax: tariff; taxi: cab; teaching: tutor; team: colleague coworker lineup players
    squad teammate; technique: approach tactic; television: airing tv; temperature: celsius chilly cold degrees
    fahrenheit fever freezing heatwave thermostat; tenant: evict landlord; tent: camping; terrain: hill slope; test:
    exam quiz; text: bible phrase quran sentence spelling; textile: cloth fabric knit sew; theater: opera theatre;
    theft: steal stolen thief; therapy: counsel counselor physio physiotherapy therapist; thermostat: heating; threat:
    attack suspicious; ticket: concert seat; timber: wood; time: clock dawn hours midnight minutes noon sunrise sunset
    timestamp timezone utc; tire: tyre; tobacco: cigarette smoke vape; tour: itinerary sightsee; tourism: tourist;
    tourist: sights sightseer; tracking: gps; trade: tariff; trading: broker trader; traditional: folk; traffic: jam;
    trail: hike trek walk; train: station; trainer: coach; training: apprentice coach muscle trainer workshop;
    transaction: purchase receipt; transcription: transcribe; transfer: remittance wire; transit: commuter metro subway
    timetable tram; translation: interpreter; transplant: organ; transport: commute logistics ride subway taxi tram;
    travel: backpacking commute cruise getaway honeymoon itinerary jetlag passport tourism tourist visa visit;
    treatment: addict chemo chemotherapy cure therapy treat; trek: hike; trend: pattern; trending: viral; truck: lorry;
    tumor: cancer tumour; twitter: tweet; typography: font; unemployment: jobless unemployed; universe: cosmos; unusual:
    anomaly odd strange weird; update: amend refresh revise tweak; urban: downtown slum town village zoning; urgent:
    asap; url: link; usd: bucks dollars; user: username; vacation: getaway; vaccine: jab; valuation: value worth; value:
    valuation worth; vegan: vegetarian; vegetable: salad; vegetarian: vegan; vehicle: autonomous brake charger drive
    driver engine ev garage license mechanic plate scooter sedan suv tire truck van; vendor: supplier; venue: hall;
    veterinary: vet veterinarian; video: footage recording; vintage: antique; virtual: headset simulation vr; visa:
    passport; visibility: foggy; vision: eye eyesight glasses; visitor: tourist; visualization: diagram; voice: speak;
    volcanic: volcano; volume: loud louder mute quieter; voting: election voter; vulnerability: hole weakness; walking:
    stroll; warranty: guarantee; washing: laundry washer; waste: compost recycling; water: dam drought flood lake pipe
    river sewer stream; wave: surf; weakness: vulnerability; wearable: smartwatch; weather: coat cold foggy hail jacket
    lightning outside sleet snow sunshine thunder umbrella; web: browser crawl frontend; website: domain page url
    webpage; wedding: bride marry; weight: bmi heavy kilos obese overweight skinny slim weigh; width: wide; wildlife:
    bear bird elephant lion tiger wolf; wind: breeze turbine; window: blind curtain; winter: ski snow; wireless:
    bluetooth wifi; wood: carpenter; word: synonym; work: commute; workforce: staff; workout: gym; writer: author;
    writing: handwriting; yield: harvest
"""
"""Words of tools, each with words that suggest it in a query: who mentions an umbrella may need the weather, but who
asks for the weather does not need an umbrella. Entries are in order, and separated by semicolons."""

_VERBS: Final = (
    ("call(?:s|ed|ing)?", "off", "cancel"),
    ("gets?|got|getting", "rid of", "delete"),
    ("throws?|threw|throwing", "away", "delete"),
    ("puts?|putting", "off", "postpone"),
    ("pays?|paid|paying", "back", "refund"),
    ("sends?|sent|sending|gives?|gave|giving", "back", "return"),
    ("brings?|brought|bringing", "back", "restore"),
    ("shuts?|shutting", "down", "stop"),
    ("(?:switch|turn)(?:es|s|ed|ing)?", "off", "disable"),
    ("(?:switch|turn)(?:es|s|ed|ing)?", "on", "enable"),
)
"""Phrasal verbs, and their meanings; pronouns such as "it" may be between the parts."""

_MEANT: Final = tuple(
    (re.compile(rf"\b(?:{verb})\s+(?:(?:it|this|that|them|these|those)\s+)?{rest}\b", re.IGNORECASE), meaning)
    for verb, rest, meaning in _VERBS
)


def meant(query: str) -> str:
    """Return a query with the meanings of its phrasal verbs appended."""
    return " ".join((query, *(meaning for verb, meaning in _MEANT if verb.search(query))))


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """Return the synonyms by stem."""
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        stems = dict.fromkeys(map(stem, group.split()))
        for word in stems:
            found.setdefault(word, {}).update(stems)
    return {word: tuple(other for other in others if other != word) for word, others in found.items()}


@cache
def related() -> Mapping[str, tuple[str, ...]]:
    """Return by stem the other words that a word of a query may find: its synonyms, and those that it suggests."""
    found = {word: dict.fromkeys(others) for word, others in synonyms().items()}
    for entry in _SUGGESTED.split(";"):
        tool_word, _, words = entry.partition(":")
        suggested = stem(tool_word.strip())
        for word in map(stem, words.split()):
            found.setdefault(word, {})[suggested] = None
    return {word: tuple(others) for word, others in found.items()}
