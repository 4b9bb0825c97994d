"""Texts for the comparison with the original programs: needs in every language of the encoder, and
texts that are hard to cut up."""

THINGS = {
    "ar": "طاولة لأربعة أشخاص|رحلة إلى الإسكندرية|سباك|طبيب أسنان|كعكة عيد ميلاد|دراجة للإيجار|مترجم قانوني|غرفة في فندق|تذاكر الحفلة|خبز طازج",
    "de": "einen Tisch für vier Personen|eine Fahrt nach Lübeck|einen Klempner|einen Zahnarzttermin|eine Geburtstagstorte|ein Leihfahrrad|eine beglaubigte Übersetzung|ein Doppelzimmer mit Frühstück|Karten fürs Konzert|frische Brötchen",
    "en": "a table for four people|a ferry to the island|a plumber|a dentist's appointment|a birthday cake|a bicycle to rent|a certified translation|a double room with breakfast|tickets for tonight's concert|freshly baked bread",
    "es": "una mesa para cuatro personas|un billete a Málaga|un fontanero|una cita con el dentista|una tarta de cumpleaños|una bicicleta de alquiler|una traducción jurada|una habitación doble con desayuno|entradas para el concierto|pan recién hecho",
    "fr": "une table pour quatre personnes|un trajet jusqu'à Besançon|un plombier|un rendez-vous chez le dentiste|un gâteau d'anniversaire|un vélo à louer|une traduction assermentée|une chambre double avec petit-déjeuner|des billets pour le concert|du pain frais",
    "it": "un tavolo per quattro persone|un traghetto per l'isola|un idraulico|un appuntamento dal dentista|una torta di compleanno|una bicicletta a noleggio|una traduzione giurata|una camera doppia con colazione|biglietti per il concerto|pane appena sfornato",
    "ja": "4人分の席|島へのフェリー|配管工|歯医者の予約|誕生日ケーキ|レンタサイクル|公認翻訳|朝食付きのダブルルーム|今夜のコンサートのチケット|焼きたてのパン",
    "ko": "네 명을 위한 자리|섬으로 가는 배|배관공|치과 예약|생일 케이크|자전거 대여|공증 번역|조식이 포함된 더블룸|오늘 밤 공연 표|갓 구운 빵",
    "nl": "een tafel voor vier personen|een veerboot naar het eiland|een loodgieter|een afspraak bij de tandarts|een verjaardagstaart|een huurfiets|een beëdigde vertaling|een tweepersoonskamer met ontbijt|kaartjes voor het concert|versgebakken brood",
    "pl": "stolik dla czterech osób|prom na wyspę|hydraulika|wizytę u dentysty|tort urodzinowy|rower do wypożyczenia|tłumaczenie przysięgłe|pokój dwuosobowy ze śniadaniem|bilety na koncert|świeżo upieczony chleb",
    "pt": "uma mesa para quatro pessoas|uma viagem de comboio para Évora|um canalizador|uma consulta no dentista|um bolo de aniversário|uma bicicleta para alugar|uma tradução certificada|um quarto duplo com pequeno-almoço|bilhetes para o concerto|pão acabado de fazer",
    "ru": "столик на четверых|паром на остров|сантехника|запись к зубному врачу|торт на день рождения|велосипед напрокат|нотариальный перевод|двухместный номер с завтраком|билеты на концерт|свежий хлеб",
    "th": "โต๊ะสำหรับสี่คน|เรือเฟอร์รี่ไปเกาะ|ช่างประปา|นัดหมอฟัน|เค้กวันเกิด|จักรยานให้เช่า|คำแปลรับรอง|ห้องคู่พร้อมอาหารเช้า|บัตรคอนเสิร์ตคืนนี้|ขนมปังอบใหม่",
    "tr": "dört kişilik bir masa|adaya giden vapur|bir tesisatçı|diş hekimi randevusu|doğum günü pastası|kiralık bisiklet|yeminli tercüme|kahvaltı dahil çift kişilik oda|konser bileti|taze ekmek",
    "zh": "四人桌|去岛上的渡轮|水管工|牙医预约|生日蛋糕|租一辆自行车|公证翻译|含早餐的双人间|今晚音乐会的门票|刚出炉的面包",
    "zh-TW": "四人座位|往離島的渡輪|水電師傅|牙醫預約|生日蛋糕|租借腳踏車|公證翻譯|含早餐的雙人房|今晚音樂會的門票|剛出爐的麵包",
}

FRAMES = {
    "ar": "أحتاج إلى {}|أين أجد {} بالقرب من هنا؟|{} غدا الساعة 19:30|كم يكلف {}؟|ابحث عن {} بأقل من 50 يورو|{}|احجز {} من فضلك|أفضل {} في المدينة|هل يوجد {} اليوم؟|لا أريد {}، شكرا|{}!!! بسرعة|{} (مع التوصيل)",
    "de": "Ich brauche {}|Wo gibt es {} in der Nähe?|{} morgen um 19:30 Uhr|Was kostet {}?|Suche {} für weniger als 50 €|{}|Bitte {} reservieren|{}, am besten in der Altstadt|Gibt es heute noch {}?|Nein danke, {} nicht|{}!!! dringend|{} (mit Lieferung)",
    "en": "I need {}|Where can I get {} near here?|{} tomorrow at 7:30 pm|How much is {}?|Find {} for less than €50|{}|Please book {}|{}, preferably in the old town|Is there {} left today?|Not {}, thank you|{}!!! urgent|{} (with delivery)",
    "es": "Necesito {}|¿Dónde hay {} cerca de aquí?|{} mañana a las 19:30|¿Cuánto cuesta {}?|Busco {} por menos de 50 €|{}|Reserva {}, por favor|{}, mejor en el casco antiguo|¿Queda {} para hoy?|No quiero {}, gracias|¡¡¡{}!!! urgente|{} (a domicilio)",
    "fr": "J'ai besoin d'{}|Où trouver {} près d'ici ?|{} demain à 19h30|Combien coûte {} ?|Cherche {} à moins de 50 €|{}|Réserve {}, s'il te plaît|{}, de préférence dans la vieille ville|Reste-t-il {} aujourd'hui ?|Pas {}, merci|{} !!! urgent|{} (avec livraison)",
    "it": "Ho bisogno di {}|Dove trovo {} qui vicino?|{} domani alle 19:30|Quanto costa {}?|Cerco {} a meno di 50 €|{}|Prenota {}, per favore|{}, meglio in centro storico|C'è ancora {} oggi?|Non voglio {}, grazie|{}!!! urgente|{} (a domicilio)",
    "ja": "{}が必要です|この近くで{}はどこですか？|明日の19時30分に{}|{}はいくらですか|5000円以下の{}を探しています|{}|{}をお願いします|できれば旧市街の{}|今日まだ{}はありますか|{}は要りません|{}！！！至急|{}（配達付き）",
    "ko": "{}이 필요해요|이 근처에 {} 어디 있나요?|내일 19시 30분 {}|{} 얼마예요?|5만원 이하 {} 찾아줘|{}|{} 예약해 주세요|가능하면 구시가지의 {}|오늘 {} 남았나요?|{}은 아니에요, 감사합니다|{}!!! 급해요|{} (배달 포함)",
    "nl": "Ik zoek {}|Waar vind ik {} in de buurt?|{} morgen om 19.30 uur|Wat kost {}?|{} voor minder dan € 50|{}|Reserveer {}, alsjeblieft|{}, liefst in de binnenstad|Is er vandaag nog {}?|Geen {}, dank je|{}!!! dringend|{} (met bezorging)",
    "pl": "Potrzebuję {}|Gdzie znajdę {} w pobliżu?|{} jutro o 19:30|Ile kosztuje {}?|Szukam {} za mniej niż 50 €|{}|Zarezerwuj {}, proszę|{}, najlepiej na starówce|Czy jest dziś jeszcze {}?|Nie {}, dziękuję|{}!!! pilne|{} (z dostawą)",
    "pt": "Preciso de {}|Onde encontro {} aqui perto?|{} amanhã às 19h30|Quanto custa {}?|Procuro {} por menos de 50 €|{}|Reserva {}, por favor|{}, de preferência no centro histórico|Ainda há {} hoje?|Não quero {}, obrigado|{}!!! urgente|{} (com entrega)",
    "ru": "Мне нужно {}|Где поблизости найти {}?|{} завтра в 19:30|Сколько стоит {}?|Ищу {} дешевле 50 €|{}|Закажи {}, пожалуйста|{}, лучше в старом городе|Есть ли сегодня {}?|Не {}, спасибо|{}!!! срочно|{} (с доставкой)",
    "th": "ฉันต้องการ{}|แถวนี้มี{}ที่ไหน|{}พรุ่งนี้เวลา 19:30 น.|{}ราคาเท่าไร|หา{}ไม่เกิน 500 บาท|{}|กรุณาจอง{}|{} ในเมืองเก่า|วันนี้ยังมี{}ไหม|ไม่เอา{} ขอบคุณ|{}!!! ด่วน|{} (พร้อมจัดส่ง)",
    "tr": "{} lazım|Yakında {} nerede var?|{} yarın saat 19:30'da|{} ne kadar?|50 €'dan ucuz {} arıyorum|{}|Lütfen {} ayırt|{}, tercihen eski şehirde|Bugün {} kaldı mı?|{} istemiyorum, teşekkürler|{}!!! acil|{} (teslimat dahil)",
    "zh": "我需要{}|附近哪里有{}？|明天19:30 {}|{}多少钱？|找50元以下的{}|{}|请帮我预订{}|最好在老城区的{}|今天还有{}吗？|不要{}，谢谢|{}！！！急|{}（含配送）",
    "zh-TW": "我需要{}|附近哪裡有{}？|明天19:30 {}|{}多少錢？|找500元以下的{}|{}|請幫我預訂{}|最好在老街的{}|今天還有{}嗎？|不要{}，謝謝|{}！！！急|{}（含外送）",
}

HARD = [
    "", " ", "  \t \n ", "\u00a0", "a", ".", "…", "ﬁnd ﬂights", "①②③ steps", "Ｆｕｌｌ　ｗｉｄｔｈ",
    "cafe\u0301 cr\u00e8me", "\u1e9b\u0323", "x\u200by\u200dz", "soft\u00adhyphen", "tab\tand\nline",
    "two  spaces   and    more", " leading", "trailing ", "▁already▁marked", "<s>typed</s>", "<unk>",
    "extra_token_id_1", "extra_token_id_1extra_token_id_2", "👩‍👩‍👧‍👦 family", "🚲 rental 🇳🇱", "😀😀😀",
    "\U0001f9ff\U0001f9ff", "ᚠᚢᚦᚨᚱᚲ", "𓀀𓁐", "ꙮ", "ა ბ გ", "हिन्दी में खोज", "தமிழ்", "עברית", "ελληνικά",
    "snake_case_name", "camelCaseName", "kebab-case-name", "GET /v1/mugs?colour=blue", "a@b.example",
    "https://shop.example/.well-known/agents.json", "{\"name\": \"mug\"}", "C++ & C#", "50% off!!!",
    "1,234,567.89", "+44 20 7946 0000", "2026-11-26T09:00:00Z", "½ kg", "10\u202f000 €", "№ 5", "™®©",
    "ＡＢＣ１２３", "ｶﾀｶﾅ", "㍿", "㎏", "ＩＤ：４２", "ไม่มีช่องว่าง", "a" * 300, "word " * 200, "数" * 120,
    "\ufffd", "\ufeffbom", "nul\u0000byte", "bell\u0007", "del\u007f", "\u0085next", "\u2028line", "\u3000wide",
    "ÅÄÖåäö", "ÅA\u030a", "İstanbul ığdır", "STRASSE straße", "Đặng Thị", "ŻÓŁĆ żółć", "ñandú", "Ærø",
    "don’t “quote” me", "—dash– and −minus", "a\u0300\u0301\u0302", "\u0301alone", "¨", "´ acute", "x¨y",
]


def texts():
    """Returns every text once, in a fixed order."""
    needs = [
        frame.format(thing)
        for language, frames in FRAMES.items()
        for frame in frames.split("|")
        for thing in THINGS[language].split("|")
    ]
    return list(dict.fromkeys(needs + HARD))
